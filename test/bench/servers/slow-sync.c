// LD_PRELOAD library: every fsync and fdatasync takes SLOW_SYNC_US longer, in the thread that calls it. No other call is touched.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void delay(void) {
  const char *microseconds = getenv("SLOW_SYNC_US");
  if (microseconds) usleep((useconds_t)atoi(microseconds));
}

int fsync(int descriptor) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  delay();
  return next(descriptor);
}

int fdatasync(int descriptor) {
  static int (*next)(int);
  if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  delay();
  return next(descriptor);
}
