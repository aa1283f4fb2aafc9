#!/bin/bash
# packaging.test.sh: the release tarball, built and installed as the bioconda recipe does it,
# in a folder without git; then the recipe's own test commands, the installed tree, and the
# choices that ./configure gives for bgzf_writer.
set -u
cd "$(dirname "$0")/../.." || exit 1
repo=$PWD
unset MAKEFLAGS  # the tarball is built as a stranger would
if [ ! -e .git ]; then
    echo "skip packaging a tarball is made in a git clone"
    exit 0
fi
. test/try.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT

make_tarball_twice() {
    tarball=$(make -s dist) && cp "$tarball" "$scratch/first.tar.gz" && make -s dist &&
        cmp "$tarball" "$scratch/first.tar.gz" && rm "$tarball" && tar xzf "$scratch/first.tar.gz" -C "$scratch"
}

knows_its_version() {
    [ "$(make -s print-version)" = "$version" ] && [ "$(cd "$repo" && ./version.sh)" = "$version" ]
}

# The environment that conda-build sets, as far as the build can see it.
bioconda_build() {
    env PREFIX="$scratch/prefix" CPU_COUNT="$(getconf _NPROCESSORS_ONLN)" \
        CXXFLAGS="-O0 -DPACKAGER_FLAG=1" CPPFLAGS="-I$scratch/prefix/include" \
        LDFLAGS="-L$scratch/prefix/lib" bash packaging/bioconda/build.sh
}

user_flags_arrive() { "$scratch/prefix/bin/qbix" --version | grep -e '-DPACKAGER_FLAG=1'; }

# The commands below "test:" of the recipe; its version is that of the release.
recipe_commands() {
    sed -n '/^  commands:/,/^about:/s/^    - //p' packaging/bioconda/meta.yaml >"$scratch/commands"
    [ -s "$scratch/commands" ] || return 1
    sed -i "s/{{ version }}/${version%%-*}/" "$scratch/commands"
    cat "$scratch/commands"
    (cd "$scratch" && PATH=$scratch/prefix/bin:$PATH PREFIX=$scratch/prefix bash -eux commands)
}

# bgzf_writer OPTION UNWANTED: without a backend, without its library.
writer_without() {
    ./configure "$1" && make BUILD=build/writer CXXFLAGS=-O0 build/writer/libbgzf_writer.so.0 &&
        ! readelf -d build/writer/libbgzf_writer.so.0 | grep "NEEDED.*$2" && rm -r build
}

writer_with_isal() {
    ./configure --with-isal && make BUILD=build/writer CXXFLAGS=-O0 build/writer/libbgzf_writer.so.0 &&
        readelf -d build/writer/libbgzf_writer.so.0 | grep 'NEEDED.*libisal' && rm -r build
}

missing_parts_are_named() {
    mkdir "$scratch/broken"
    echo '#error not here' | tee "$scratch/broken/zlib.h" >"$scratch/broken/libdeflate.h"
    ./configure CPPFLAGS="-I$scratch/broken" >"$scratch/out" 2>&1 && return 1
    cat "$scratch/out"
    grep zlib1g-dev "$scratch/out" && grep libdeflate-devel "$scratch/out" &&
        tail -n 1 "$scratch/out" | grep FAILED
}

distclean_leaves_tarball() {
    make distclean && find . -type f | sort >"$scratch/after" && diff "$scratch/before" "$scratch/after"
}

try make-dist make_tarball_twice || exit 1
version=$(cd "$scratch" && echo qbix-*)
version=${version#qbix-}
cd "$scratch/qbix-$version" || exit 1
find . -type f | sort >"$scratch/before"
try tarball-version knows_its_version
try bioconda-build bioconda_build || exit 1
try user-flags-kept user_flags_arrive
try bioconda-commands recipe_commands
test/installed-tree.sh "$scratch/prefix"
try writer-without-htslib writer_without --without-htslib-backend libhts
try writer-without-libdeflate writer_without --without-libdeflate-backend libdeflate
try writer-with-isal writer_with_isal
try configure-names-what-is-missing missing_parts_are_named
try distclean distclean_leaves_tarball
