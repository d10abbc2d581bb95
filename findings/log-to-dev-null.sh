#!/usr/bin/env bash
# MySQL 9.7 refuses /dev/null as the file of the general log and of the slow query log. MariaDB takes it.
#
# Expected: a log whose file is /dev/null costs what making and writing its lines costs, without the disk.
# What happens: MySQL refuses it with error 1231 at SET GLOBAL, for the device and for a link to it. At the start it prints an
# error, switches the log off, and runs on. MariaDB writes to /dev/null.
# Versions: MySQL 9.7.4, MariaDB 10.11.19.
# Why it matters: a benchmark that starts MySQL with general_log=ON and general_log_file=/dev/null measures a server without the
# log, and finds that the log is free.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

set_log() { sql "$1" "SET GLOBAL general_log_file = '$2'" 2>&1 | grep ERROR || true; }

fetch_mysql
fetch_mariadb
ln -s /dev/null "$work/link"
start_mysql --general-log=ON --general-log-file=/dev/null
start_mariadb --general-log=ON --general-log-file=/dev/null

printf '\nMySQL %s, started with general_log=ON and general_log_file=/dev/null\n' "$(sql "$work/run-mysql" 'SELECT VERSION()')"
is_on=$(sql "$work/run-mysql" 'SELECT @@GLOBAL.general_log')
printf 'general_log is %s\n' "$is_on"
grep -i 'log' "$work/run-mysql/log.err" | grep -i 'null\|general' || true
device=$(set_log "$work/run-mysql" /dev/null)
link=$(set_log "$work/run-mysql" "$work/link")
printf 'SET GLOBAL general_log_file to the device: %s\n  to a link: %s\n' "$device" "$link"

printf '\nMariaDB %s, started in the same way\n' "$(sql "$work/run-mariadb" 'SELECT VERSION()')"
other=$(sql "$work/run-mariadb" 'SELECT @@GLOBAL.general_log, @@GLOBAL.general_log_file')
printf 'general_log and its file are %s\n' "$other"

[[ $device == *1231* && $link == *1231* ]] || changed "MySQL takes /dev/null"
[ "$is_on" = 0 ] || changed "MySQL starts with the log on"
[ "$other" = $'1\t/dev/null' ] || changed "MariaDB does not write to /dev/null"
