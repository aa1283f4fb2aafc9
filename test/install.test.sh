#!/bin/bash
# install.test.sh: "make install" of the built tree into an empty prefix, the same through
# DESTDIR, and that "make uninstall" leaves nothing behind.
set -u
cd "$(dirname "$0")/.." || exit 1
. test/try.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT

# What DESTDIR holds is what would have been under /, and nothing in it names DESTDIR.
install_destdir() {
    make -s prefix=/opt/qbix DESTDIR="$scratch/root" install || return 1
    (cd "$scratch/prefix" && find . | sort) >"$scratch/want"
    (cd "$scratch/root/opt/qbix" && find . | sort) >"$scratch/have"
    diff "$scratch/want" "$scratch/have" && ! grep -rlI "$scratch" "$scratch/root" &&
        grep -x 'prefix=/opt/qbix' "$scratch/root/opt/qbix/lib/pkgconfig/qbix.pc"
}

uninstall() {
    make -s prefix="$scratch/prefix" uninstall && ! find "$scratch/prefix" ! -type d | grep .
}

try install-prefix make -s prefix="$scratch/prefix" install || exit 1
test/installed-tree.sh "$scratch/prefix"
try install-destdir install_destdir
try uninstall uninstall
