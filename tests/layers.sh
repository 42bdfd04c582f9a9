#!/bin/bash
# layers.sh - proves that calls and includes point one way:
#   base <- redis <- script <- scenario <- client <- world <- lockstep, memo <- search <- host <- judge <- wings <- cli
# with lib beside cli, report and simulate under host, trace and drive under cli, serve on script, source and model on
# base alone. The wings (compare, mutate, watch, walk, lint, init) do not know each other. Reads every #include, and the symbols of the
# archives in $BUILD (linking in order would miss a call up to a function that something else had already pulled in).
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}

# What each layer may use, besides itself.
declare -A may=(
    [base]="" [model]="base" [redis]="base" [script]="base redis" [scenario]="base model redis" [client]="base model redis script scenario" [world]="base model redis script scenario client"
    [serve]="base redis script" [drive]="base model redis script scenario client world lockstep memo search serve" \
        [source]="base" [simulate]="base model redis script scenario client world" \
        [trace]="base model redis script scenario client"
    [lockstep]="base model redis script scenario client world" \
        [memo]="base model redis script scenario client world" \
        [search]="base model redis script scenario client world lockstep memo" \
        [report]="base model redis script scenario client world lockstep memo search simulate trace"
    [host]="base model redis script scenario client world lockstep memo search simulate source report"
    [judge]="base model redis script scenario client world lockstep memo search simulate source report host"
    [compare]="base model redis script scenario client world lockstep memo search simulate source report host judge" \
        [mutate]="base model redis script scenario client world lockstep memo search simulate source report host judge" \
        [watch]="base model redis script scenario client world lockstep memo search simulate source report host judge" \
        [lint]="base model redis script scenario client world lockstep memo search simulate source report host judge" \
        [walk]="base model redis script scenario client world lockstep memo search simulate source report host judge" \
        [init]="base model redis script scenario client world lockstep memo search simulate source report host judge"
    [lib]="base model redis script scenario client world lockstep memo search report host judge"
    [cli]="base model redis script scenario client world lockstep memo search simulate source report serve drive trace host judge compare mutate watch walk lint init"
)
# lib first: it has a last_words of its own, in the place of base's, whose it is for all others.
layers="lib base model redis script scenario client world lockstep memo search simulate trace report serve drive source host judge compare mutate watch walk lint init cli"
checked=0 bad=0

allowed() { [ "$1" = "$2" ] || [[ " ${may[$1]} " == *" $2 "* ]]; }
complain() { echo "$1"; bad=$((bad + 1)); }

# Includes: "layer/file.h" (from sim/) and "model/file.h"; a bare "file.h" would be the same folder.
while IFS=: read -r file line text; do
    layer=${file#sim/} layer=${layer%%/*}
    header=${text#*\"} header=${header%%\"*}
    checked=$((checked + 1))
    if [[ $header != */* ]]; then
        [ -e "$(dirname "$file")/$header" ] || complain \
            "$file:$line: error: \"$header\" is not beside it; write it from sim/"
    elif [ -z "${may[${header%%/*}]+x}" ]; then
        complain "$file:$line: error: \"$header\" is in no layer"
    elif ! allowed "$layer" "${header%%/*}"; then
        complain "$file:$line: error: $layer may not include \"$header\": it may use ${may[$layer]:-nothing} only"
    fi
done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' -r sim model --include='*.[ch]')

# Only client/, source/ and the script host know Lua; only redis/ a value's insides; only host/ and cli/ files, the
# environment and the clock.
while IFS=: read -r file line text; do
    checked=$((checked + 1))
    case $file in
        sim/client/*|sim/scenario/*|sim/source/*|sim/script/*) ;;
        *) complain \
            "$file:$line: error: Lua is the business of sim/client, sim/scenario, sim/source and sim/script: $text" ;;
    esac
done < <(grep -nE '#[[:space:]]*include[[:space:]]*[<"](lua|lualib|lauxlib|luaconf)\.h' -r sim model --include='*.[ch]')
while IFS=: read -r file line text; do
    complain "$file:$line: error: the outside world is met in sim/host, sim/cli, and by real programs in sim/drive, only: $text"
done < <(grep -nE '\b(fopen|freopen|getenv|gettimeofday|clock_gettime|opendir|popen|system)[[:space:]]*\(|[^_.>a-z]time[[:space:]]*\(NULL\)' \
             -r sim model --include='*.[ch]' | grep -vE '^sim/(cli|host|drive)/')

# Symbols: whatever a layer leaves undefined is defined in itself, in a layer that it may use, or outside locksim.
declare -A home=()
for layer in $layers; do
    [ -e "$BUILD/lib$layer.a" ] || { echo "layers.sh: there is no $BUILD/lib$layer.a; build first" >&2; exit 1; }
    while read -r symbol; do [[ $symbol == __* ]] || home[$symbol]=$layer; done \
        < <(nm -g --defined-only "$BUILD/lib$layer.a" 2>/dev/null | awk 'NF == 3 { print $3 }')
done
for layer in $layers; do
    while read -r symbol; do
        checked=$((checked + 1))
        there=${home[$symbol]:-}
        [ -z "$there" ] || allowed "$layer" "$there" || complain \
            "lib$layer.a: error: calls $symbol of $there, which $layer may not use"
    done < <(nm -gu "$BUILD/lib$layer.a" 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u)
done

[ $checked -gt 0 ] || { echo "layers.sh: nothing was checked" >&2; exit 1; }
echo "layers: $checked includes and symbols, $bad of them wrong"
[ $bad -eq 0 ]
