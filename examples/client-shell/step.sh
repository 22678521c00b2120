#!/bin/sh
# One step of the work: a request to a service that takes only the newest leader's. Status 100 ends while-leading.sh.
answer=$(printf 'header = "Sortition-Fence: %s"\n' "$SORTITION_FENCE" |
  curl --config - --silent --max-time 2 --data "$NAME" --write-out ' %{http_code}' "$SERVICE/steps") || exit 1
echo "$NAME: ${answer}"
case $answer in *" 410") exit 100 ;; esac
