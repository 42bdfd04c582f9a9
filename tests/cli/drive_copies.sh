# drive_copies.sh - the fork server of `locksim drive`: a program that has one thread when it first connects is started a
# few times only and copied for each run, and nothing of that can be seen in results. What cannot be copied is started
# anew by each run.
RUN_SECONDS_MAX=600
mkdir -p out
drive() { run drive -o out "$@"; }
if [ ! -r /proc/self/schedstat ]; then
    echo "drive_copies: this machine has no /proc/self/schedstat: nothing can be driven"
    return
fi

# starts.c KIND - notes in the file `begun` that it began and in `draws` what it drew before and after it connected,
# does KIND before it connects, takes the lock, and says so.
cat > starts.c <<'C'
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static void say(const char *line) { if (write(1, line, strlen(line)) < 0) exit(1); }
static void note(const char *file, const char *text)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(fd, text, strlen(text)) < 0)
        exit(1);
    close(fd);
}
static void draw(char text[40], const char *end)
{
    unsigned int word;
    if (getrandom(&word, sizeof word, 0) != sizeof word)
        exit(1);
    snprintf(text, 40, "%08x%s", word, end);
}
static void *idle(void *nothing) { sleep(1); return nothing; }
static void waste(int result) { (void)result; }
static int listed;
static void prepare(const char *kind)
{
    pthread_t t;
    if (strcmp(kind, "thread") == 0)
        pthread_create(&t, NULL, idle, NULL);
    else if (strcmp(kind, "epoll") == 0)
        epoll_create1(0);
    else if (strcmp(kind, "pipe") == 0)
        waste(pipe((int[2]){ 0 }));
    else if (strcmp(kind, "sleep") == 0)
        usleep(1000);
    else if (strcmp(kind, "says") == 0)
        say("enter\nleave\n");
    else if (strcmp(kind, "stdio") == 0)
        puts("enter"), puts("leave"), fflush(stdout);
    else if (strcmp(kind, "child") == 0)
        waste(fork() ? wait(NULL) : (_exit(0), 0));
    else if (strcmp(kind, "memory") == 0)
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    else if (strcmp(kind, "file") == 0)
        listed = open("list", O_RDONLY);
}
int main(int argc, char **argv)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(6379), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    char room[64], early[40], late[40], two[3] = "";
    (void)argc;
    note("begun", "x");
    draw(early, " ");
    prepare(argv[1]);
    if (listed && read(listed, two, 2) != 2)
        return 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
        return 1;
    if (listed && read(listed, two, 2) != 2)
        return 1;
    draw(late, "\n");
    note("draws", strcat(early, late));
    dprintf(fd, "set lock%d %s%s nx px 500\r\n", (int)getpid(), late, two);
    if (read(fd, room, sizeof room) <= 0)
        return 1;
    say("enter\nleave\n");
    return 0;
}
C
check "the C program compiles" gcc -O1 -o starts starts.c -lpthread
printf 'abcdefgh' > list
starts_of() { # KIND OPTION...: how often it was started in 20 runs
    local kind=$1
    shift
    rm -f begun draws
    drive -v -j 1 --runs 20 "$@" "A=./starts $kind"
    started=$(wc -c < begun)
}
starts_of plain
ends 0 "a program that is copied"
check "20 runs and its stories, and at most one start for each variant" test "$started" -le 4
check "what it draws before it connects is a variant's" test "$(cut -d ' ' -f 1 draws | sort -u | wc -l)" -eq "$started"
check "what it draws after it is the run's" test "$(head -n 20 draws | cut -d ' ' -f 2 | sort -u | wc -l)" -gt 10
for kind in plain file; do
    starts_of $kind
    check "$kind: is copied" test "$started" -le 4
    cp "$out" first
    drive -v -j 2 --runs 20 "A=./starts $kind"
    check "$kind: copied in two places, the same" cmp -s first "$out"
    starts_of $kind --fresh
    check "$kind: started anew, the same" cmp -s first "$out"
    check "$kind: and it was started anew" test "$started" -ge 20
done
for kind in thread epoll pipe sleep says stdio child memory; do
    starts_of $kind
    check "$kind: is not copied" test "$started" -ge 20
    cp "$out" first
    drive -v -j 1 --runs 20 --fresh "A=./starts $kind"
    check "$kind: the same" cmp -s first "$out"
done
# A process that comes back after a fault is no copy: what it does before it connects may follow from the time.
rm -f begun
drive -j 1 --runs 20 --faults restart=1 "A=./starts plain"
cp "$out" first
check "who is started again is started anew" test "$(wc -c < begun)" -gt 8
drive -j 1 --runs 20 --faults restart=1 --fresh "A=./starts plain"
check "with the same result" cmp -s first "$out"
drive --runs 20 --fresh --same "A=./starts plain" "B=./starts file"
ends 0 "started anew, runs are identical"
drive --runs 20 --same "A=./starts plain" "B=./starts file"
ends 0 "copied, runs are identical"
# Its status and its last words are those of the copy.
drive --runs 3 'A=sh -c "exec redis-cli nonsense"'
check "a copy's end is seen" test "$status" -lt 5

python=/usr/bin/python3
if $python -c 'import redis' 2> /dev/null; then
    cp "$ROOT"/tests/drive/*.py .
    for how in "" --fresh; do
        drive $how --runs 16 --latency 300 --faults pause=1,crash=1,restart=1,lose_reply=1 \
            "A=$python locks.py expiry_as_second_request" "B=$python locks.py good"
        ends 1 "python3-redis, copied or not ($how)"
        [ -z "$how" ] && cp "$out" first
    done
    check "python3-redis: copies do what new starts do" cmp -s first "$out"
else
    echo "drive_copies: python3-redis is not installed: its part is skipped"
fi
