#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: tools_test.sh
# The tools of the ecosystems accept the packages: PlatformIO packs the library, ESP-IDF's component manager the
# component, Zephyr's Kconfig reader reads the options of the module and what its sample sets, a YAML reader all YAML.
# `scripts/bootstrap --packages` installs these tools.
set -eu
. "$(dirname "$0")/common.sh"
tools=$top/build/packages-python/bin
if [ ! -x "$tools/pio" ]; then
    echo "there is no $tools/pio: scripts/bootstrap --packages installs the tools of the ecosystems"
    exit 77
fi
export HOME="$folder" PLATFORMIO_CORE_DIR="$folder/pio" PLATFORMIO_SETTING_ENABLE_TELEMETRY=no
make_package all
version=$(sed -n 's/^#define RL_VERSION_STRING "\(.*\)"$/\1/p' "$top/include/rushlight/version.h")

# PlatformIO compares the licence with a list that it downloads: without the licence it packs here.
grep -q '^  "license": "Apache-2.0",$' "$out/platformio/Rushlight/library.json" || fail "library.json has no licence"
cp -R "$out/platformio/Rushlight" "$folder/library"
sed -i '/^  "license"/d' "$folder/library/library.json"
(cd "$folder" && "$tools/pio" pkg pack -o packed.tar.gz library) >"$folder/log" 2>&1 || fail "pio: $(cat "$folder/log")"
tar tzf "$folder/packed.tar.gz" | grep -q 'src/Rushlight.h$' || fail "PlatformIO's archive has no header"
sed -i 's/^  "version": .*/  "version": "one",/' "$folder/library/library.json"
if (cd "$folder" && "$tools/pio" pkg pack -o packed.tar.gz library) >"$folder/log" 2>&1; then
    fail "PlatformIO takes a version that is not one"
fi

"$tools/compote" component pack --project-dir "$out/esp-idf/rushlight" --name rushlight --dest-dir "$folder/dist" \
    >"$folder/log" 2>&1 || fail "compote: $(cat "$folder/log")"
[ -f "$folder/dist/rushlight_$version.tgz" ] || fail "the component manager packs $(ls "$folder/dist")"

cat >"$folder/check.py" <<'PYTHON'
import pathlib
import sys

import kconfiglib
import yaml

out = pathlib.Path(sys.argv[1])
for path in sorted(out.rglob("*.yml")) + sorted(out.rglob("*.yaml")):
    yaml.safe_load(path.read_text())
module = out / "zephyr" / "rushlight"
listed = yaml.safe_load((module / "zephyr" / "module.yml").read_text())
assert listed["name"] == "rushlight" and (module / listed["build"]["cmake"] / "CMakeLists.txt").exists()
assert all((module / sample / "digits" / "sample.yaml").exists() for sample in listed["samples"])
kconfig = kconfiglib.Kconfig(str(module / listed["build"]["kconfig"]), warn_to_stderr=False)
kconfig.syms["RUSHLIGHT"].set_value("y")
values = {name: kconfig.syms[name].str_value for name in kconfig.syms if name.startswith("RUSHLIGHT")}
defaults = {"RUSHLIGHT": "y", "RUSHLIGHT_RUNTIME": "y", "RUSHLIGHT_CMSIS_NN": "n", "RUSHLIGHT_MESSAGES": "y"}
assert values == defaults, values
set_in_sample = (module / "samples" / "digits" / "prj.conf").read_text()
assert "CONFIG_RUSHLIGHT=y\n" in set_in_sample
sample = yaml.safe_load((module / "samples" / "digits" / "sample.yaml").read_text())
assert sample["sample"]["name"] and sample["tests"] and sample["common"]["harness_config"]["regex"]
solution = yaml.safe_load(next(out.glob("cmsis-pack/*/Examples/Digits/digits.csolution.yml")).read_text())["solution"]
assert solution["projects"] and solution["target-types"]
PYTHON
"$tools/python" "$folder/check.py" "$out" || fail "a description is wrong"
