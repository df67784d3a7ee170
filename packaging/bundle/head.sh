#!/bin/sh
# Ensemble Studio @VERSION@ for Linux on x86-64: the whole program in one file, for people without
# administrator rights. This text ends where the packed program begins.
set -eu

version='@VERSION@-@BUILD@'
file=$0
data=${XDG_DATA_HOME:-$HOME/.local/share}
home=$HOME/.local/lib/ensemble-studio
commands=$HOME/.local/bin
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ensemble-studio
record=$home/installed-files

usage() {
    cat <<TOLD
Ensemble Studio @VERSION@

  $file [DOCUMENT]        open the window, without installing anything
  $file --studio WORD...  the command line, without installing anything (try: --studio --help)
  $file --install         install it for you: a menu entry, double-clicked documents, two commands
  $file --uninstall       remove all of that; your documents and settings stay
  $file --extract FOLDER  only unpack it

It takes @MEGABYTES@ MB once unpacked, in ${cache%/*} or $HOME/.local.
TOLD
}

fail() {
    echo "$*" >&2
    exit 1
}

unpack() {  # FOLDER, which is there only when all is in it
    if command -v xz >/dev/null; then
        decompress='xz -dc'
    elif command -v python3 >/dev/null; then
        decompress='python3 -c "import lzma, shutil, sys
shutil.copyfileobj(lzma.open(sys.stdin.buffer), sys.stdout.buffer)"'
    else
        fail "Unpacking needs 'xz' or 'python3', and there is neither. Install xz-utils."
    fi
    [ ! -e "$1" ] || fail "There is something in $1 already."
    payload | sha256sum | grep -q '^@SUM@ ' || fail "This file is damaged. Download it again."
    into=$(dirname "$1")
    kept=$into
    while [ ! -d "$kept" ]; do kept=$(dirname "$kept"); done
    part=
    trap 'rm -rf "$part"; remove_empty "$into" "$kept"' EXIT
    trap 'exit 1' HUP INT TERM
    mkdir -p "$into"
    part=$(mktemp -d "$1.XXXXXX")
    # The shell itself asks only whether the last of them succeeded.
    succeeded=$({
        { payload && echo read >&3; } |
            { eval "$decompress" && echo decompressed >&3; } |
            { CDPATH='' cd -- "$part" && tar -x -f - && echo written >&3; }  # -C reads \n as a line's end
    } 3>&1 | wc -l)
    [ "$succeeded" -eq 3 ] || fail "Unpacking failed. It needs @MEGABYTES@ MB in $into."
    chmod 755 "$part"
    mv "$part" "$1"
    trap - EXIT HUP INT TERM
}

payload() {
    tail -n "+$((@LINES@ + 1))" "$file"
}

remove_empty() {  # FOLDER STOP: it and those above it, below STOP
    folder=$1
    while [ "$folder" != "$2" ] && rmdir "$folder" 2>/dev/null; do
        folder=$(dirname "$folder")
    done
}

in_use() {  # FOLDER
    for each in /proc/[0-9]*/exe; do
        case $(readlink "$each" 2>/dev/null || :) in "$1"/*) return 0 ;; esac
    done
    return 1
}

run_in_place() {  # PROGRAM WORD...
    place=$cache/$version
    if [ ! -x "$place/ensemble-studio/studio" ]; then
        echo "Unpacking Ensemble Studio, once..." >&2
        rm -rf "$place"
        unpack "$place"
    fi
    for other in "$cache"/*; do
        [ "$other" = "$place" ] || in_use "$other" || rm -rf "$other"
    done
    program=$place/ensemble-studio/$1
    shift
    exec "$program" "$@"
}

refresh() {  # tell the desktop, as far as it wants to know
    update-desktop-database -q "$data/applications" 2>/dev/null || :
    update-mime-database "$data/mime" 2>/dev/null || :
    gtk-update-icon-cache -q -t "$data/icons/hicolor" 2>/dev/null || :
}

name_program() {  # ENTRY PROGRAM: the entry starts the program by its path, whatever is in that
    text=$(printf '%s' "$2" | sed 's/\\/\\\\/g')
    # A quoted word of the shell, in a text of the entry, in which % begins a code.
    word=$(printf '%s' "$2" | sed 's/[\\"`$]/\\&/g; s/\\/\\\\/g; s/%/%%/g')
    word=\"$word\"
    case $word in
        # No program may be called so: GLib looks for %% itself, and the specification allows no =.
        *[%=]*) word='sh -c "exec \\"\\$0\\" \\"\\$@\\"" '$word ;;
    esac
    while read -r line; do
        case $line in
            Exec=ensemble-studio*) line="Exec=$word${line#Exec=ensemble-studio}" ;;
            TryExec=ensemble-studio) line=TryExec=$text ;;
        esac
        printf '%s\n' "$line"
    done <"$1" >"$1.new"
    mv "$1.new" "$1"
}

install_it() {
    rm -rf "$home.new"
    unpack "$home.new"
    remove_files
    rm -rf "$home"
    mv "$home.new" "$home"
    mkdir -p "$commands" "$data"
    for name in studio ensemble-studio; do
        ln -sf "$home/ensemble-studio/$name" "$commands/$name"
        echo "$commands/$name"
    done >"$record"
    find "$home/share" -type f >"$home/shared-files"
    while read -r each; do
        target=$data/${each#"$home/share/"}
        mkdir -p "$(dirname "$target")"
        cp "$each" "$target"
        echo "$target"
    done <"$home/shared-files" >>"$record"
    # Not every session looks for programs there.
    entry=$data/applications/io.github.ensemblestudio.Studio.desktop
    [ ! -f "$entry" ] || name_program "$entry" "$commands/ensemble-studio"
    rm -r "$home/share" "$home/shared-files"
    refresh
    echo "Ensemble Studio is installed; you find it in the menu. In a terminal: $commands/studio"
}

remove_files() {  # what an installation has put elsewhere
    [ -f "$record" ] || return 0
    while read -r each; do
        rm -f "$each"
    done <"$record"
    # The deepest first.
    sort -r "$record" | while read -r each; do
        remove_empty "$(dirname "$each")" "$HOME"
    done
}

uninstall_it() {
    remove_files
    rm -rf "$home" "$cache"
    refresh
    # What the desktop made of our files alone.
    [ -n "$(ls "$data/mime/packages" 2>/dev/null)" ] || rm -rf "$data/mime"
    [ "$(ls "$data/applications" 2>/dev/null)" != mimeinfo.cache ] || rm -r "$data/applications"
    [ "$(ls "$data/icons/hicolor" 2>/dev/null)" != icon-theme.cache ] || rm -r "$data/icons/hicolor"
    for each in "$data/icons" "${home%/*}" "$commands" "${cache%/*}"; do
        remove_empty "$each" "$HOME"
    done
    echo "Ensemble Studio is removed. Your documents and settings were left alone."
}

[ "$(uname -m)" = x86_64 ] || fail "This file is for x86-64; this computer is $(uname -m)."
case ${1:-} in
    --help | -h) usage ;;
    --install) install_it ;;
    --uninstall) uninstall_it ;;
    --extract) unpack "${2:?the folder to unpack into}" ;;
    --studio)
        shift
        run_in_place studio "$@"
        ;;
    *) run_in_place ensemble-studio "$@" ;;
esac
exit 0
