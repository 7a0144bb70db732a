#!/bin/sh
# Grades the synthetic class of 25, from the course's ZIP to the files for Moodle:
#
#     sh tournaments/grading.sh DIR
#
# GOTHELLO_ARENA names the program; the default is `gothello-arena` in the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: sh tournaments/grading.sh DIR" >&2; exit 2; }
arena=${GOTHELLO_ARENA:-gothello-arena}
python3 "$here/synthetic_class.py" "$1"
cd "$1"
# Fewer games and a shorter analysis than in the example, so that two cores finish within minutes.
sed 's/max_games = 100/max_games = 40/; s/analysis = "5s"/analysis = "1s"/' "$here/rubric.toml" > rubric.toml
"$arena" import CS441-Final.zip --worksheet Grades.csv --out class
"$arena" grade class/class.toml --rubric rubric.toml --worksheet Grades.csv --cap --jobs 4
ls grades/moodle.csv grades/feedback.zip
