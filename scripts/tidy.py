#!/usr/bin/env python3
"""The house rules that a machine can check, as a test: prints file:line: what is wrong.

    ./scripts/tidy.py [ROOT]

Each rule is one function below that takes a Source (or all of them) and yields (line, message);
RULES and TREE_RULES list them. ARCHITECTURE.md and CONTRIBUTING.md give the reasons.
"""
import bisect
import functools
import pathlib
import re
import sys

# A room may include itself and these. Of another room only its door: the headers directly in it,
# the lists (.def), and where noted a folder of plain data.
ROOMS = {
    "core": set(),
    "network": {"core"},
    "system": {"core", "network"},
    "workload": {"core", "network", "system"},
    "simulation": {"core", "network", "system", "workload"},
    "report": {"core", "network", "system", "workload", "simulation"},
    "formats": {"core", "network", "system", "workload"},
    "execution": {"core", "network", "system", "workload", "simulation", "report"},
    "frontends": {"core", "network", "system", "workload", "simulation", "report", "formats",
                  "execution"},
}
DOORS = {
    ("system", "network"): re.compile(r"network/(\w+\.(h|def)|topology/\w+\.h)$"),
    ("workload", "network"): re.compile(r"network/topology/\w+\.h$"),
    ("workload", "system"): re.compile(r"system/\w+\.(h|def)$"),
}

# Words that ./scripts/run hands to the program, and the name of any example.
COMMANDS = {"run", "compare", "examples/NAME"}

# Third-party headers, by how their names begin, and the folders that may include them ("" = all).
PACKAGES = {
    "fmt/": [""],
    "spdlog/": ["core/base/"],
    "Random123/": ["core/base/"],
    "yaml-cpp/": ["formats/yaml/"],
    "CLI/": ["frontends/cli/"],
    "nlohmann/": ["report/", "formats/", "frontends/", "tests/report/", "tests/formats/",
                  "tests/frontends/"],
    "pugixml": ["formats/msccl/"],
    "ns3/": ["network/ns3/", "tests/reference/"],
    "catch2/": ["tests/"],
    "benchmark/": ["tests/benchmark/"],
    "simgrid/": ["tests/benchmark/peers/"],
    "sanitizer/": ["tests/fuzz/"],
    "sys/": [""],  # the operating system's
}

MAX_COLUMNS = 100
MAX_FILE_LINES = 400  # of code
MAX_FUNCTION_LINES = 70
MAX_ROOM_LINES = {"frontends": 12_000}  # of code: what is not our keys or commands lives below

MAY_PRINT_AND_EXIT = ("frontends/cli/", "execution/process/", "core/base/check.cc", "tests/")
MAY_READ_THE_WALL_CLOCK = ("execution/", "frontends/", "tests/execution/", "tests/frontends/",
                           "tests/simulation/", "tests/benchmark/", "tests/fuzz/")

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
# What is no code: strings and characters (the group: their inside), comments. A quote right after a
# digit is a separator, 1'000.
NOT_CODE = re.compile(
    r"""R"(?P<mark>[^()\\\s]{0,16})\((?P<raw>.*?)\)(?P=mark)"
      | "(?P<string>(?:\\.|[^"\\\n])*)"
      | (?<![0-9a-fA-F])'(?P<character>(?:\\.|[^'\\\n])+)'
      | //[^\n]* | /\*.*?\*/""", re.S | re.X)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments_and_strings(text):
    """The same text, line by line and column by column, with everything that is no code blanked."""
    def replace(match):
        for group in ("string", "character"):
            if match[group] is not None:
                quote = match[0][0]
                return quote + blank(match[group]) + quote
        return blank(match[0])
    return NOT_CODE.sub(replace, text)


class Source:
    def __init__(self, root, path):
        self.path = path  # from the root, with /
        self.room = path.split("/")[0]
        self.is_header = path.endswith(".h")
        self.text = (root / path).read_text(encoding="utf-8")
        self.lines = self.text.splitlines()
        self.code = without_comments_and_strings(self.text)
        self.code_lines = self.code.splitlines()
        self.includes = []  # (line, target, quoted)
        for number, line in enumerate(self.lines, 1):
            if (match := INCLUDE.match(line)) and "include" in self.code_lines[number - 1]:
                self.includes.append((number, match[2], match[1] == '"'))

    def line_count(self):
        """Lines that hold code."""
        return sum(map(bool, map(str.strip, self.code_lines)))

    def is_in(self, folders):
        return self.path.startswith(tuple(folders))

    @functools.cached_property
    def line_starts(self):
        return [0] + [match.end() for match in re.finditer("\n", self.code)]

    def line_of(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    def find(self, pattern):
        """(line, match) of every place in the code."""
        for match in re.finditer(pattern, self.code):
            yield self.line_of(match.start()), match


# ---- who may include what ------------------------------------------------------------------------

def layers(source):
    for line, target, quoted in source.includes:
        to = target.split("/")[0]
        if to == "tests" and source.room != "tests":
            yield line, f"{source.room}/ may not include tests/"
        if not quoted or source.room not in ROOMS or to not in ROOMS or to == source.room:
            continue
        door = DOORS.get((source.room, to))
        if to not in ROOMS[source.room]:
            yield line, f"{source.room}/ may not include {to}/"
        elif door and not door.match(target):
            yield line, f"{target} is inside of {to}/: {source.room}/ sees its door headers only"


def packages(source):
    for line, target, quoted in source.includes:
        if quoted and target.split("/")[0] in {*ROOMS, "tests"}:
            continue
        for beginning, homes in PACKAGES.items():
            if target.startswith(beginning):
                if not source.is_in(homes):
                    yield line, f"<{target}> belongs to {' and '.join(homes)} only"
                break
        else:
            if quoted:
                yield line, f'"{target}": write own includes from the root, "core/units/units.h"'
            elif "/" in target:
                yield line, f"<{target}>: unknown package; give it a room in scripts/tidy.py"


def existing_includes(sources, root):
    for source in sources.values():
        for line, target, quoted in source.includes:
            own = quoted and target.split("/")[0] in {*ROOMS, "tests"}
            if own and not (root / target).exists():
                yield source.path, line, f"{target} does not exist"


def node_of(path):
    """A node of the include graph: a folder; in the room itself, each header with its source."""
    folder = path.rpartition("/")[0]
    return folder if "/" in folder else path.rpartition(".")[0]


def folder_cycles(sources, _root):
    """Inside a room no two folders include each other, not even through a third one.

    A source that includes a door header of its own room does not count: it implements that door.
    """
    edges = {}  # node -> {node: (path, line)}
    for source in sources.values():
        for line, target, quoted in source.includes:
            start, end = node_of(source.path), node_of(target)
            implements_door = not source.is_header and target.count("/") == 1
            if quoted and target.split("/")[0] == source.room and start != end \
                    and source.room in ROOMS and not implements_door:
                edges.setdefault(start, {}).setdefault(end, (source.path, line))
    for start in sorted(edges):
        for end, (path, line) in sorted(edges[start].items()):
            way = way_between(edges, end, start)
            if way and start == min([start, *way]):  # report each cycle once
                yield path, line, f"include cycle: {' -> '.join([start, *way])}"


def way_between(edges, start, end):
    """The nodes from start to end along the edges, [] if there is no way."""
    before, queue = {start: None}, [start]
    for node in queue:
        if node == end:
            way = []
            while node is not None:
                way.insert(0, node)
                node = before[node]
            return way
        for following in sorted(edges.get(node, {})):
            if following not in before:
                before[following] = node
                queue.append(following)
    return []


def room_sizes(sources, _root):
    for room, most in MAX_ROOM_LINES.items():
        count = sum(source.line_count() for source in sources.values() if source.room == room)
        if count > most:
            yield room, 1, f"{count} lines of code, at most {most}: what belongs to a room below?"


def dead_headers(sources, _root):
    included = {target for source in sources.values() for _, target, _ in source.includes}
    for source in sources.values():
        if source.is_header and source.path not in included:
            yield source.path, 1, "no file includes this header"


# At the start of a line: a type, a constant, or a function with its body.
DECLARED_TYPE = re.compile(r"^(?:struct|class|enum class|enum)\s+(\w+)\b(?!;)", re.M)
DECLARED_CONSTANT = re.compile(
    r"^(?:inline |static |constexpr |const )+[\w:<>,&* ]*?\b(\w+)\s*(?:=|\{|\[)", re.M)
DEFINED_FUNCTION = re.compile(
    r"^(?!struct|class|enum|using|namespace)[A-Za-z_][\w:<>,&*\s]*?[\s&*](\w+)\(([^;{]*?)\)\s*\{",
    re.M)
# Each drawing has its own width and left edge; CMakeLists.txt compiles these and some tests alone.
COMPILED_ALONE = re.compile(r"report/chart/|tests/(core|fuzz|reference|benchmark)/")


def names_without_linkage(source):
    """(line, name, what) of what the anonymous namespaces of a file declare."""
    for opened in re.finditer(r"^namespace \{$", source.code, re.M):
        end = source.text.find("\n}  // namespace\n", opened.start())
        begin, code = opened.end(), source.code[opened.end():end]
        for pattern in (DECLARED_TYPE, DECLARED_CONSTANT):
            for match in pattern.finditer(code):
                yield source.line_of(begin + match.start(1)), match[1], ""
                if pattern is DECLARED_CONSTANT:  # "constexpr int a = 1, b = 2;"
                    for other in re.findall(r",\s*(\w+) =", code[match.end():code.find(";", match.end())]):
                        yield source.line_of(begin + match.start(1)), other, ""
        for match in DEFINED_FUNCTION.finditer(code):
            without_defaults = re.sub(r"\s=\s(\{[^}]*\}|[^,]*)", "", " ".join(match[2].split()))
            parameters = re.sub(r"\s*\b\w+\s*(,|$)", r"\1", without_defaults).split(", ")
            for left_out in range(len(re.findall(r"\s=\s", match[2])) + 1):
                yield (source.line_of(begin + match.start(1)), match[1],
                       f"({', '.join(parameters[:len(parameters) - left_out])})")


def names_of_folders(sources, _root):
    """A cold build compiles files of a folder as one: CMakeLists.txt, orrery_compile_in_batches."""
    declared = {}
    for path, source in sources.items():
        if not path.endswith(".cc") or COMPILED_ALONE.match(path):
            continue
        for line, name, what in names_without_linkage(source):
            known = declared.setdefault((path.rpartition("/")[0], name), [])
            for other, is_also in known:
                if other != path and (what == is_also or not what or not is_also):
                    yield path, line, f"{name} is declared in {other} too: share it, or name it apart"
                    break
            known.append((path, what))


INLINE_MEMBER = re.compile(r"^inline [\w:<>,&* ]*?\b(\w+)::(~?\w+)\(", re.M)


def inline_members(sources, _root):
    """Compiled as one, the files of a folder share what is inline; each on its own does not link."""
    members_of_class = {}
    for path, source in sources.items():
        if path.endswith(".cc"):
            for owner in set(re.findall(r"^[\w:<>,&* ]*?\b(\w+)::~?\w+\(", source.code, re.M)):
                members_of_class.setdefault(owner, []).append(path)
    for path, source in sources.items():
        if not path.endswith(".cc"):
            continue
        for line, match in ((source.line_of(m.start(2)), m)
                            for m in INLINE_MEMBER.finditer(source.code)):
            for other in members_of_class[match[1]]:
                if other != path and re.search(rf"\b{match[2]}\(", sources[other].code):
                    yield path, line, (f"{match[2]} is inline, and {other} calls it: "
                                       "move it to the header, or take inline away")


def unbuilt_tests(sources, root):
    """tests/CMakeLists.txt globs folders for orrery_test(); a CMakeLists.txt must name the rest."""
    def cmake(folder):
        path = root / folder / "CMakeLists.txt"
        return path.read_text(encoding="utf-8") if path.exists() else ""
    calls = re.findall(r"\borrery_test\(\w+\s+\w+\s+([^)]*)\)", cmake("tests"))
    globbed_folders = tuple(f"tests/{folder}/" for call in calls for folder in call.split())
    for source in sources.values():
        if source.room != "tests" or not source.path.endswith(".cc"):
            continue
        folder, _, name = source.path.rpartition("/")
        if not source.path.startswith(globbed_folders) and name not in cmake(folder):
            yield source.path, 1, "no glob or CMakeLists.txt of tests/ builds this file"


# ---- what model code may do ----------------------------------------------------------------------

def process_control(source):
    if source.is_in(MAY_PRINT_AND_EXIT):
        return
    for line, match in source.find(r"\b(_?exit|quick_exit|abort|terminate|assert)\s*\("):
        yield line, f"{match[1]}() ends the process: throw ConfigError, or CHECK what must hold"


def printing(source):
    if source.is_in(MAY_PRINT_AND_EXIT):
        return
    for line, match in source.find(r"\bstd::(cout|cerr|clog)\b|\b(f?printf|puts|fputs)\s*\("
                                   r"|\bfmt::print\b"):
        yield line, f"{match[0].rstrip('( ')}: only frontends/cli prints; return or emit it"
    for line, target, _ in source.includes:
        if target == "iostream":
            yield line, "<iostream>: only frontends/cli prints; <istream> and <ostream> are lighter"


def wall_clock(source):
    if source.is_in(MAY_READ_THE_WALL_CLOCK):
        return
    for line, match in source.find(r"\b(system_clock|steady_clock|high_resolution_clock"
                                   r"|clock_gettime|gettimeofday|random_device|s?rand(?=\s*\())\b"):
        yield line, f"{match[0]}: a simulation depends on its input only (now(), the seed)"


def subranges(source):
    for line, match in source.find(r"\branges::(unique|remove(_if)?|rotate|search|(stable_)?partition"
                                   r"|equal_range|find_end|subrange)\b"):
        yield line, f"{match[0]}: clang 14 cannot compile a subrange: take iterators, or erase_if"


def unordered_iteration(source, header=None):
    if source.room not in ROOMS:
        return
    names = set(unordered_variables(source.code))
    if header:
        names |= set(unordered_variables(header.code))
    for name in sorted(names):
        for line, _ in source.find(rf"\bfor\s*\([^;{{}}]*[^:]:\s*(?:this->)?{name}\s*\)"
                                   rf"|\b{name}\s*\.\s*c?begin\s*\("):
            yield line, f"{name} is unordered: the order, by library, may reach events"


def unordered_variables(code):
    for match in re.finditer(r"\bunordered_(?:multi)?(?:map|set)\s*<", code):
        depth, position = 1, match.end()
        while depth and position < len(code):
            depth += {"<": 1, ">": -1}.get(code[position], 0)
            position += 1
        if name := re.compile(r"[\s&]*(\w+)").match(code, position):
            yield name[1]


def mutable_statics(source):
    if source.room not in ROOMS:
        return
    for line, match in source.find(r"(?m)^[ \t]*(?:inline\s+)?static\s+(?!const|inline\s+const)"
                                   r"[\w:<>,\s*&]+?\b(\w+)\s*(?:=[^=]|;|\{)"):
        yield line, f"static {match[1]} can change: two simulations in a process would share it"


# ---- form and names ------------------------------------------------------------------------------

def sizes(source):
    for number, line in enumerate(source.lines, 1):
        if len(line) > MAX_COLUMNS and not source.path.endswith(".def"):  # a .def: a line, an entry
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}"
    count = source.line_count()
    if count > MAX_FILE_LINES and not source.path.endswith(".def"):
        yield 1, f"{count} lines of code, at most {MAX_FILE_LINES}"
    if source.room in ROOMS:
        for first, last in functions(source):
            if last - first + 1 > MAX_FUNCTION_LINES:
                yield first, f"function of {last - first + 1} lines, at most {MAX_FUNCTION_LINES}"


SCOPE = re.compile(r'(inline\s+)?(namespace|class|struct|union|enum|extern)\b')


def functions(source):
    """(first line, last line) of each function body, by its braces; lambdas belong to theirs."""
    code = re.sub(r"(?m)^[ \t]*#(?:.*\\\n)*.*$", lambda m: blank(m[0]), source.code)
    open_braces = []  # (kind, offset)
    head_start = 0
    for match in re.finditer(r"[{};]", code):
        sign, offset = match[0], match.start()
        outside = all(kind == "scope" for kind, _ in open_braces)
        if sign == "{":
            kind = kind_of_block(code[head_start:offset]) if outside else "inner"
            open_braces.append((kind, offset))
            if kind == "part of a head":
                continue  # the head goes on behind it
        elif sign == "}" and open_braces:
            kind, start = open_braces.pop()
            if kind == "function":
                yield source.line_of(start), source.line_of(offset)
            elif kind == "part of a head":
                continue
        if outside or all(kind == "scope" for kind, _ in open_braces):
            head_start = offset + 1


def kind_of_block(head):
    """What a brace outside of all functions opens, by the text since the last ; { or }."""
    no_head = r"\[\[.*?\]\]|\b(public|private|protected)\s*:(?!:)"
    head = re.sub(no_head, " ", head, flags=re.S).strip()
    if head.startswith("template"):
        depth = position = 0
        for position, sign in enumerate(head):
            depth += {"<": 1, ">": -1}.get(sign, 0)
            if sign == ">" and depth == 0:
                break
        head = head[position + 1:].strip()
    if SCOPE.match(head):
        return "scope"
    if head.count("(") != head.count(")"):
        return "part of a head"  # void f(Spec spec = {}) ...
    if "(" not in head or head.endswith("="):
        return "initialiser"
    if re.search(r"\)[^()]*(?<!:):(?!:).*\w$", head, re.S):
        return "part of a head"  # Plan::Plan(int n) : n_{n} ...
    return "function"


BANNED_WORDS = r"(?:Manager|Helper|Util|Utils|Utility)"


def names(source):
    stem = source.path.rpartition("/")[2].rpartition(".")[0]
    for word in stem.lower().split("_"):
        if word.rstrip("s") in {"manager", "helper", "util", "utility", "utilitie"}:
            yield 1, f"file name: '{word}' says nothing; name what it is"
    for line, match in source.find(r"\b(?:class|struct|enum(?:\s+class)?|union|concept|using)\s+"
                                   rf"(\w*{BANNED_WORDS}(?![a-z])\w*)"):
        yield line, f"type name {match[1]}: name what it is, not that it manages or helps"


def pragma_once(source):
    if source.is_header and not re.search(r"(?m)^#pragma once$", source.text):
        yield 1, "header without #pragma once"


# ---- documents -----------------------------------------------------------------------------------

def long_lines_of_markdown(text):
    """Lines beyond the limit that prose could break: not tables, code, and what holds one link."""
    in_fence, before_is_blank, in_code = False, True, False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        is_fence = stripped.startswith("```")
        in_code = bool(line.startswith("    ") and stripped and (before_is_blank or in_code))
        is_free = (in_fence or is_fence or in_code or stripped.startswith(("|", "!["))
                   or re.fullmatch(r"\S*|.*\]\([^)\s]*\)\S*", stripped))
        if len(line) > MAX_COLUMNS and not is_free:
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}: wrap the text"
        in_fence ^= is_fence
        before_is_blank = not stripped


def documents_of(root):
    """(path from the root, text) of each."""
    folders = [root, *(root / name for name in ("docs", "examples", "tests"))]
    for folder in folders:
        found = folder.glob("*.md") if folder == root else folder.rglob("*.md")
        for path in sorted(found):
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def documents(_sources, root):
    for path, text in documents_of(root):
        for line, message in long_lines_of_markdown(text):
            yield path, line, message


def references(sources, root):
    """What a reader is sent to: pages in comments, links, paths, and what ./scripts/run is given."""
    for source in sources.values():
        for page in re.finditer(r"\bdocs/[\w/-]+\.md\b", source.text):
            if not (root / page[0]).exists():
                yield source.path, source.line_of(page.start()), f"there is no {page[0]}"
    for path, text in documents_of(root):
        folder = (root / path).parent
        for found in re.finditer(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)|\./scripts/run ([\w/.-]+)"
                                 rf"|`((?:{'|'.join([*ROOMS, 'tests', 'docs'])})/[\w./-]+)`", text):
            link, example, place = found.groups()
            if place and path.startswith("docs/how-to/"):
                continue  # that the reader makes
            named = folder / link if link else root / (example or place)
            if not named.exists() and example not in COMMANDS:
                yield (path, text.count("\n", 0, found.start()) + 1,
                       f"there is no {link or example or place}")


# --------------------------------------------------------------------------------------------------

RULES = [layers, packages, process_control, printing, wall_clock, subranges, mutable_statics, sizes,
         names, pragma_once]
TREE_RULES = [existing_includes, folder_cycles, dead_headers, names_of_folders, inline_members,
              room_sizes, unbuilt_tests, documents, references]


def read_sources(root):
    paths = (path for room in [*ROOMS, "tests"] for path in (root / room).rglob("*")
             if path.suffix in {".h", ".cc", ".def"} and path.is_file())
    names_from_root = sorted(path.relative_to(root).as_posix() for path in paths)
    return {name: Source(root, name) for name in names_from_root}


def findings(root):
    """Every (path, line, message), sorted."""
    sources = read_sources(root)
    found = {(path, line, message) for rule in TREE_RULES
             for path, line, message in rule(sources, root)}
    for source in sources.values():
        header = sources.get(source.path.removesuffix(".cc") + ".h")
        for rule in RULES:
            found |= {(source.path, line, message) for line, message in rule(source)}
        found |= {(source.path, line, message)
                  for line, message in unordered_iteration(source, header)}
    return sorted(found), len(sources)


def main(root=pathlib.Path(__file__).parent.parent):
    found, file_count = findings(pathlib.Path(root).resolve())
    for path, line, message in found:
        print(f"{path}:{line}: {message}")
    print(f"tidy: {file_count} files, {len(found)} findings")
    return 1 if found or file_count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
