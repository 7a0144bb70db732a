"""Makes the submissions archive and the grading worksheet of a class of 25, as they are downloaded from Moodle.

    python3 tournaments/synthetic_class.py DIR

writes DIR/CS441-Final.zip and DIR/Grades.csv. Eight students hand in a starter from examples/, fifteen hand in a small
bot from tests/bots/faulty/ that is correct or has one fault, one hands in files without a program, and one hands in
nothing.
"""

import csv
import io
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATE = (2026, 11, 22, 12, 0, 0)
NAMES = """Ana Álvarez;Björn Müller;Chloë O'Brien;Dmitri Волков;Élodie Lefèvre;Fang Li;Gül Şahin;Hans Groß;Ines da Silva;\
Jürgen Schäfer;Katarzyna Łukasik;Liam Smith;María José Núñez;Nils Ångström;Olga Petrova;Pierre-Yves Côté;Quentin D;\
Rosa =SUM(A1);Søren Kierkegaard;Tomáš Dvořák;Uwe Ümit;Věra Nová;William Wang;Xiu Ying;Zoë Zhang""".split(";")
STARTERS = ["python", "c", "java", "javascript", "cpp", "rust", "python", "python"]
FAULTY = ["correct", "thinks", "old_client", "fixed_host", "no_captures", "passes_ahead", "pass_back", "draw_raises",
          "go_suicide", "usage", "resigns", "correct", "thinks", "any_empty", "reads_on"]


def starter(language):
    """The files of a starter, without files left behind by its tests."""
    top = ROOT / "examples" / language
    files = [path for path in sorted(top.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    # The manifest of a Rust starter gets its proper name, as from `init bot`.
    names = {path: str(path.relative_to(top)).replace("manifest.toml", "Cargo.toml") for path in files}
    return {names[path]: path.read_bytes() for path in files}


def faulty(name):
    """A bot with a fault, and the module that it imports."""
    folder = ROOT / "tests" / "bots" / "faulty"
    return {file: (folder / file).read_bytes() for file in {f"{name}.py", "correct.py"}}


def write(archive, name, content):
    archive.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED)


def packed(files):
    """A ZIP of `files`."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in sorted(files.items()):
            write(archive, name, content)
    return whole.getvalue()


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    submissions = [starter(language) for language in STARTERS] + [faulty(name) for name in FAULTY]
    submissions += [{"essay.docx": b"an essay", "notes.txt": b"Sorry."}, None]
    with zipfile.ZipFile(directory / "CS441-Final.zip", "w") as archive:
        for number, (name, files) in enumerate(zip(NAMES, submissions)):
            folder = f"{name}_{4711 + number}_assignsubmission_file_"
            # Some students pack their files into an archive of their own, and some do not.
            handed_in = files if number % 3 == 0 else files and {"submission.zip": packed(files)}
            for file, content in sorted((handed_in or {}).items()):
                write(archive, f"{folder}/{file}", content)
    with open(directory / "Grades.csv", "w", newline="", encoding="utf-8-sig") as file:
        worksheet = csv.writer(file)
        worksheet.writerow(["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade",
                            "Grade can be changed", "Last modified (grade)", "Feedback comments"])
        for number, (name, files) in enumerate(zip(NAMES, submissions)):
            status = "Submitted for grading" if files else "No submission"
            worksheet.writerow([f"Participant {4711 + number}", name, f"s{number}@example.edu", status, "", "100.00", "Yes",
                                "-", ""])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 tournaments/synthetic_class.py DIR")
    main(pathlib.Path(sys.argv[1]))
