// Makes a disk slower: loaded into PostgreSQL before libc, it lets each fsync and fdatasync take so many milliseconds more
// as the file says that FAREBOX_SLOW_DISK names, which may change while the server runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int later(int result) {
  const char *file = getenv("FAREBOX_SLOW_DISK");
  int fd = file ? open(file, O_RDONLY) : -1;
  if (fd < 0) return result;
  char text[16] = {0};
  long ms = read(fd, text, sizeof text - 1) > 0 ? atol(text) : 0;
  close(fd);
  struct timespec left = {ms / 1000, (ms % 1000) * 1000000L};
  while (ms > 0 && nanosleep(&left, &left) != 0) continue;
  return result;
}

int fdatasync(int fd) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return later(next(fd));
}

int fsync(int fd) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return later(next(fd));
}
