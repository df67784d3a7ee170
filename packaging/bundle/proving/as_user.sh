#!/bin/sh
# What an ordinary user does in the proof; the first word names the part.
set -eu
mkdir -p "$HOME/work"
cd "$HOME/work"

wait_for_window() {  # PICTURE
    for _ in $(seq 240); do
        if window=$(xdotool search --onlyvisible --name 'Ensemble Studio' 2>/dev/null | head -1) &&
            [ -n "$window" ]; then
            sleep "${SETTLE:-25}"
            import -window root "/proof/$1.png"
            # A window that is not painted is of one colour.
            [ "$(identify -format %k "/proof/$1.png")" -gt 50 ]
            return
        fi
        sleep 1
    done
    echo "no window was shown" >&2
    exit 1
}

close_window() {
    for each in /proc/[0-9]*; do
        case $(readlink "$each/exe" 2>/dev/null || :) in
            */ensemble-studio/studio*) kill "${each#/proc/}" 2>/dev/null || : ;;
        esac
    done
    sleep 3
}

try_commands() {  # PROGRAM
    "$1" --version
    "$1" check own.csv --target diagnosis >check.txt
    [ -s check.txt ]
    "$1" run digits.csv --target digit --budget 8 --seed 1 -o sample.studio >sample.txt
    "$1" run own.csv --target diagnosis --budget 8 --seed 1 -o own.studio >own.txt
    "$1" predict own.studio own.csv -o predicted.csv
    [ "$(wc -l <predicted.csv)" -eq "$(wc -l <own.csv)" ]
    for format in pickle skops report; do
        "$1" export own.studio --format "$format" -o "own.$format"
        [ -s "own.$format" ]
    done
    "$1" picture own.studio -o /proof/picture.png
}

case $1 in
    work)
        cp /proof/digits.csv .
        # One's own: other separators, a decimal comma's neighbour, and strangers' modules beside.
        tr , ';' </proof/breast_cancer.csv >own.csv
        for name in json studio sitecustomize numpy pickle; do
            echo 'open("/home/user/work/IMPORTED", "w")' >$name.py
        done
        try_commands studio
        [ ! -e IMPORTED ]
        (ensemble-studio >window.txt 2>&1 &)
        wait_for_window window
        close_window
        ;;
    open)
        xdg-mime query default application/x-ensemble-studio
        [ "$(xdg-mime query default application/x-ensemble-studio)" = io.github.ensemblestudio.Studio.desktop ]
        (xdg-open "$HOME/work/own.studio" >opened.txt 2>&1 &)
        wait_for_window opened
        [ ! -e IMPORTED ]
        ;;
    after_update)
        SETTLE=5 wait_for_window updated
        close_window
        cp own.studio kept.studio
        (ensemble-studio own.studio >again.txt 2>&1 &)
        wait_for_window again
        close_window
        studio show own.studio >/dev/null
        ;;
    single)
        find "$HOME" | sort >/tmp/before
        /proof/single.run --install
        "$HOME/.local/bin/studio" --version
        (xdg-open "$HOME/work/own.studio" >single.txt 2>&1 &)
        wait_for_window single
        close_window
        /proof/single.run --uninstall
        /proof/single.run --studio --version
        /proof/single.run --uninstall
        find "$HOME" | sort >/tmp/after
        # Settings of the program and of the desktop stay; programs do not.
        diff /tmp/before /tmp/after || :
        [ -z "$(find "$HOME/.local" "$HOME/.cache" -name '*nsemble*tudio*' -type f 2>/dev/null | grep -v '/locks/')" ]
        ;;
esac
