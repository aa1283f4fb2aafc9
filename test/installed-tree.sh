#!/bin/bash
# installed-tree.sh PREFIX: tests an installed qbix as its users meet it: programs, pkg-config,
# and programs of theirs compiled against the headers and linked with either library. Uses
# nothing of the source tree. Not a test by itself: other tests call it.
set -u
prefix=${1:?usage: installed-tree.sh PREFIX}
# shellcheck source=test/try.sh
. "$(dirname "$0")/try.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export DYLD_LIBRARY_PATH=$LD_LIBRARY_PATH
CXX=${CXX:-c++} CC=${CC:-cc}

programs_run() {
    local program
    qbix --version | head -n 1 | grep -E '^qbix [0-9]+\.[0-9]+' || return 1
    for program in "$prefix"/bin/qbix-*; do
        [ "$(readlink "$program")" = qbix ] || { echo "$program is no link to qbix"; return 1; }
        "$program" --help || { echo "$program --help failed"; return 1; }
    done
}

index_and_view() {
    printf '@HD\tVN:1.6\n@SQ\tSN:c\tLN:9\nr1\t0\tc\t1\t9\t1M\t*\t0\t0\tA\tI\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tC\tI\n' |
        samtools view -b --no-PG -o "$scratch/two.bam" - &&
        qbix-index "$scratch/two.bam" &&
        [ "$(qbix-view --qname r2 "$scratch/two.bam" | cut -f 1,10)" = "$(printf 'r2\tC')" ]
}

man_pages_installed() {
    local program
    for program in "$prefix"/bin/qbix*; do
        [ -s "$prefix/share/man/man1/$(basename "$program").1" ] || {
            echo "no man page for $program"
            return 1
        }
    done
}

# Each installed header compiles alone, as C too where it is a .h.
headers_compile() {
    local header name flags
    flags=$(pkg-config --cflags qbix bgzf_writer) || return 1
    for header in "$prefix"/include/qbix/* "$prefix"/include/bgzfw/*; do
        name=${header#"$prefix"/include/}
        echo "#include <$name>" >"$scratch/header.cpp"
        # shellcheck disable=SC2086  # flags are words
        $CXX -std=c++20 -Wall -Wextra -Werror $flags -fsyntax-only "$scratch/header.cpp" || return 1
        [[ $name == *.h && $name != *export.h ]] || continue
        echo "#include <$name>" >"$scratch/header.c"
        # shellcheck disable=SC2086
        $CC -std=c99 -Wall -Wextra -Werror $flags -fsyntax-only "$scratch/header.c" || return 1
    done
}

write_client() {
    cat >"$scratch/client.cpp" <<'END'
#include <qbix/error.hpp>
#include <qbix/name_hash.hpp>
#include <qbix/qbi_index.hpp>
#include <cstdio>

// The hash is XXH3-64's of the empty string; the exception crosses from the library.
int main(int argc, char** argv) {
    if (qbix::hash_name("").value != 0x2d06800538d394c2u) return 1;
    try {
        qbix::QbiIndex index(argc > 1 ? argv[1] : "/nonexistent.qbi");
        std::printf("%llu\n", static_cast<unsigned long long>(index.record_count()));
    } catch (const qbix::Error& error) {
        return error.code() == qbix::ErrorCode::kOpen ? 0 : 1;
    }
}
END
}

links_shared() {
    # shellcheck disable=SC2046  # flags are words
    $CXX -std=c++20 $(pkg-config --cflags qbix) -o "$scratch/shared" "$scratch/client.cpp" \
        $(pkg-config --libs qbix) && "$scratch/shared" || return 1
    [ "$(uname -s)" != Linux ] || ldd "$scratch/shared" | grep "$prefix/lib/libqbix\.so\.[0-9]"
}

links_static() {
    # shellcheck disable=SC2046
    $CXX -std=c++20 $(pkg-config --cflags qbix) -o "$scratch/static" "$scratch/client.cpp" \
        "$prefix/lib/libqbix.a" $(pkg-config --libs htslib libdeflate zlib) -pthread &&
        LD_LIBRARY_PATH='' "$scratch/static"
}

pc_files_relocatable() {
    [ "$(pkg-config --variable=prefix qbix)" = "$prefix" ] &&
        [ "$(pkg-config --define-variable=prefix=/elsewhere --variable=libdir qbix)" = /elsewhere/lib ] &&
        pkg-config --exists 'qbix >= 0.1' 'bgzf_writer >= 0.1'
}

try installed-programs programs_run
try installed-index-and-view index_and_view
try installed-man-pages man_pages_installed
try installed-pkg-config pc_files_relocatable
try installed-headers headers_compile
write_client
try installed-shared-library links_shared
try installed-static-library links_static
