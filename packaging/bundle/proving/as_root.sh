#!/bin/sh
# The proof in a bare system without network: install, work, update, remove. VERSION is given.
set -eu
cd /proof
chmod 777 .

say() { echo "== $*"; }
files() {  # LIST
    find / -xdev \( -path /proof -o -path /home -o -path /tmp -o -path /proc -o -path /dev \
        -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache \) -prune -o -print >"$1"
    sort -o "$1" "$1"
}
as_user() { runuser -u user -- env HOME=/home/user DISPLAY=:7 XDG_RUNTIME_DIR=/tmp/run \
    XDG_CURRENT_DESKTOP=GNOME LANG=C.UTF-8 sh /proof/as_user.sh "$@"; }

id user >/dev/null 2>&1 || useradd --create-home user
# What an earlier proof that failed has left.
dpkg --purge ensemble-studio >/dev/null 2>&1 || :
rm -rf /home/user && cp -r /etc/skel /home/user && chown -R user: /home/user
runuser -u user -- mkdir -p /tmp/run
files before

say install an older version
dpkg --install old.deb >/dev/null
[ "$(dpkg-query --show --showformat='${Version}' ensemble-studio)" = 0.0.1 ]
runuser -u user -- Xvfb :7 -screen 0 1366x768x24 >/dev/null 2>&1 &
screen=$!

say work as an ordinary user
as_user work
say open a document as a double click does
as_user open

say update while it is open
dpkg --install new.deb >/dev/null
[ "$(dpkg-query --show --showformat='${Version}' ensemble-studio)" = "$1" ]
as_user after_update

say ask the judges
desktop-file-validate /usr/share/applications/io.github.ensemblestudio.Studio.desktop
appstreamcli validate --no-net /usr/share/metainfo/*.metainfo.xml || [ $? -eq 3 ]
lintian --fail-on error --allow-root new.deb >lintian.txt || { cat lintian.txt; exit 1; }
man -w studio ensemble-studio >/dev/null

say remove
dpkg --purge ensemble-studio >/dev/null
files after
diff before after
[ -s /home/user/work/own.studio ]

say the single file
as_user single
kill "$screen"
say proved
