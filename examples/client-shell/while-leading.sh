#!/bin/sh
# Runs a command again and again, but only while the agent beside this script leads; with its fence in SORTITION_FENCE.
#
#   AGENT=http://127.0.0.1:7070 TOKEN_FILE=http.token ./while-leading.sh COMMAND [ARGUMENTS]
#
# Each run of the command is killed when the lease may have run out: let it do one short thing. Needs curl, sed, awk and "timeout"
# (coreutils). Ends with Ctrl-C, or with status 0 when the command ends with status 100.
set -u
: "${AGENT:=http://127.0.0.1:7070}" "${TOKEN_FILE:=http.token}" "${PAUSE:=0.2}"

# Seconds since the machine started, with hundredths: runs on while it is suspended, and nobody can set it. Elsewhere than on Linux only
# whole seconds of the calendar are to be had.
clock() {
  if [ -r /proc/uptime ]; then cut -d ' ' -f 1 /proc/uptime; else date +%s; fi
}

# A number or a text of the answer, which is one line of JSON without anything that would have to be unescaped.
field() {
  printf '%s' "$answer" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

while :; do
  # Before the request: what the agent promises counts from here.
  before=$(clock)
  # The token goes by standard input: everybody on the machine can read arguments.
  if answer=$(printf 'header = "Authorization: Bearer %s"\n' "$(cat "$TOKEN_FILE")" |
    curl --config - --silent --fail --max-time 1 "$AGENT/v1/fence"); then
    # A tenth of a second less, for this script and for killing the command; a second less where the clock has whole ones.
    left=$(awk -v before="$before" -v now="$(clock)" -v valid="$(field validForMs)" \
      -v margin="$([ -r /proc/uptime ] && echo 0.1 || echo 1.1)" \
      'BEGIN { left = before + valid / 1000 - now - margin; print (left > 0 ? left : 0) }')
    if [ "$left" != 0 ]; then
      SORTITION_TOKEN=$(field token) SORTITION_FENCE=$(field fence) timeout -s KILL "$left" "$@"
      [ $? -eq 100 ] && exit 0
    fi
  fi
  sleep "$PAUSE"
done
