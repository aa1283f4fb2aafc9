#!/bin/sh
# make-dist.sh VERSION: writes qbix-VERSION.tar.gz, from which the build needs neither git
# nor autoconf. Everything in it but configure and config.h.in is what git tracks.
set -eu
version=$1
name=qbix-$version
cd "$(dirname "$0")/.."
[ -e .git ] || { echo "make dist: needs a git clone (this is a tarball already)" >&2; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/$name
mkdir "$tree"
git ls-files -z | xargs -0 tar cf - | tar xf - -C "$tree"
sed "s/^VERSION=.*/VERSION=$version/" version.sh > "$tree/version.sh"
(cd "$tree" && autoheader && autoconf && rm -rf autom4te.cache)

# Newer than their sources, for any make; else fixed, so that one commit makes one tarball.
date=$(git log -1 --format=%ct)
tar cf - -C "$scratch" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner \
    --mode=u+w,go-w,a+rX "$name" | gzip -9n > "$name.tar.gz"
echo "$name.tar.gz"
