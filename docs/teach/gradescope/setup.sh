#!/bin/sh
# Builds the image of the autograder; Gradescope runs this script once, with network access.
#
# Pack it into autograder.zip with run_autograder, rubric.toml and the static binary `gothello-arena`:
#
#     zip -j autograder.zip setup.sh run_autograder rubric.toml gothello-arena
set -eu

# The languages of the course's bots. Only missing packages are installed.
install_missing() {
    command -v "$1" >/dev/null || missing="$missing $2"
}
missing=""
install_missing python3 python3-minimal
install_missing java default-jdk-headless
install_missing gcc gcc
install_missing make make
install_missing node nodejs
if [ -n "$missing" ]; then
    apt-get update
    # shellcheck disable=SC2086 # each package name is a separate word
    apt-get install -y --no-install-recommends $missing
fi

mkdir -p /usr/local/bin
cp /autograder/source/gothello-arena /usr/local/bin/gothello-arena
chmod 0755 /usr/local/bin/gothello-arena

# Bots are started only if they can be confined. The container that grades may permit less than this one.
gothello-arena doctor || echo 'Bots cannot be confined here: submissions get no points, unless you trust them and add
`--isolation off` to run_autograder (docs/teach/grading.md).'
