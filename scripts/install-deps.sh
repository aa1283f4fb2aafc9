#!/bin/sh
# install-deps.sh: installs what building, testing and running qbix needs, if it is missing.
#
#   install-deps.sh           everything
#   install-deps.sh --build   what building and the demo need
#
# Knows Debian and Ubuntu, Fedora and RHEL, Arch Linux, Homebrew, and conda when
# CONDA_PREFIX is set. Uses sudo only when not root. On any other system it prints what to
# install and exits 1. Running it again changes nothing.
set -eu

usage() { echo "usage: install-deps.sh [--build]" >&2; exit 1; }
with_tests=yes
case ${1:-} in
    '') ;;
    --build) with_tests=no ;;
    *) usage ;;
esac

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "install-deps.sh: needs root or sudo to run: $*" >&2
        exit 1
    fi
}

# choose BUILD_PACKAGES TEST_PACKAGES
choose() {
    packages=$1
    [ $with_tests = no ] || packages="$packages $2"
}

install_debian() {
    choose "g++ make autoconf automake pkg-config libhts-dev libdeflate-dev zlib1g-dev \
        libxxhash-dev libboost-program-options-dev nlohmann-json3-dev samtools" \
        "git tabix libboost-test-dev libbenchmark-dev libisal-dev clang \
        libclang-rt-dev clang-format mandoc shellcheck"
    missing=
    for package in $packages; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    as_root apt-get update
    # shellcheck disable=SC2086  # a list of words
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing
}

install_fedora() {
    choose "gcc-c++ make autoconf automake pkgconf-pkg-config htslib-devel libdeflate-devel \
        zlib-devel xxhash-devel boost-devel json-devel samtools" \
        "git htslib-tools perl-JSON-PP google-benchmark-devel isa-l-devel clang clang-tools-extra mandoc ShellCheck"
    # shellcheck disable=SC2086
    as_root dnf install -y --setopt=install_weak_deps=False $packages
}

# htslib and samtools are not in Arch's own repositories.
install_arch() {
    choose "gcc make autoconf automake pkgconf libdeflate zlib xxhash boost nlohmann-json" \
        "git benchmark isa-l clang mandoc shellcheck"
    # shellcheck disable=SC2086
    as_root pacman -S --needed --noconfirm $packages
    if ! pkg-config --atleast-version=1.16 htslib; then
        echo "install-deps.sh: install htslib and samtools (1.16 or later) from the AUR" >&2
        exit 1
    fi
}

install_brew() {
    choose "autoconf automake pkgconf htslib libdeflate xxhash boost nlohmann-json samtools" \
        "google-benchmark isa-l clang-format mandoc shellcheck"
    # shellcheck disable=SC2086
    brew install $packages
}

install_conda() {
    choose "cxx-compiler make autoconf automake pkg-config htslib libdeflate zlib xxhash \
        libboost-devel nlohmann_json samtools" \
        "git benchmark isa-l clang-format mandoc shellcheck"
    # shellcheck disable=SC2086
    conda install -y -c conda-forge -c bioconda $packages
    if [ -z "${CXX:-}" ]; then
        echo "install-deps.sh: now run \"conda activate $CONDA_PREFIX\" (it sets the compilers)," >&2
        echo "then the same command again" >&2
        exit 1
    fi
}

unknown_system() {
    cat >&2 <<'END'
install-deps.sh: this system is not one that I know. Please install, with their headers:
  a C++20 compiler (g++ 12, clang 14 or later), GNU make, autoconf, automake, pkg-config
  htslib >= 1.16, libdeflate >= 1.14, zlib, xxHash >= 0.8
  Boost.Program_options, nlohmann-json; samtools for the demo
and for the tests: bgzip, Boost.Test, Google Benchmark, ISA-L, clang, clang-format,
  mandoc, shellcheck, git
END
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

if [ -n "${CONDA_PREFIX:-}" ] && has conda; then
    install_conda
elif has apt-get && has dpkg-query; then
    install_debian
elif has dnf; then
    install_fedora
elif has pacman; then
    install_arch
elif has brew; then
    install_brew
else
    unknown_system
fi
