// An MPI library of the standard ABI, as far as Lacuna calls it, made of MPICH: it takes the standard's
// handles and refuses any other. The test of the standard ABI builds it.
//
//	gcc -shared -fPIC -o libmpi_abi.so.0 standard_abi.c -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define COMM_WORLD 0x101
#define BYTE 0x247
#define ERRORS_RETURN 0x142
#define THREAD_FUNNELED 1024
#define ERR_ARG 13

static void *real(const char *name) {
  static void *library;
  if (!library) library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
  return dlsym(library, name);
}

static const int world = 0x44000000, byte_type = 0x4c00010d, errors_return = 0x54000001;

int MPI_Get_library_version(char *text, int *length) {
  strcpy(text, "Standard ABI over MPICH");
  *length = strlen(text);
  return 0;
}
int MPI_Initialized(int *flag) { return ((int (*)(int *))real("MPI_Initialized"))(flag); }
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (required != THREAD_FUNNELED) return ERR_ARG;
  return ((int (*)(int *, char ***, int, int *))real("MPI_Init_thread"))(argc, argv, 1, provided);
}
int MPI_Comm_rank(void *comm, int *rank) {
  if (comm != (void *)COMM_WORLD) return ERR_ARG;
  return ((int (*)(int, int *))real("MPI_Comm_rank"))(world, rank);
}
int MPI_Comm_size(void *comm, int *size) {
  if (comm != (void *)COMM_WORLD) return ERR_ARG;
  return ((int (*)(int, int *))real("MPI_Comm_size"))(world, size);
}
int MPI_Comm_set_errhandler(void *comm, void *handler) {
  if (comm != (void *)COMM_WORLD || handler != (void *)ERRORS_RETURN) return ERR_ARG;
  return ((int (*)(int, int))real("MPI_Comm_set_errhandler"))(world, errors_return);
}
int MPI_Error_string(int code, char *text, int *length) { return ((int (*)(int, char *, int *))real("MPI_Error_string"))(code, text, length); }

// A request is as wide as a pointer here, and an int in MPICH.
static int start(const char *name, void *buffer, int count, void *type, int peer, int tag, void *comm, void **request) {
  if (comm != (void *)COMM_WORLD || type != (void *)BYTE) return ERR_ARG;
  int own = 0;
  int status = ((int (*)(void *, int, int, int, int, int, int *))real(name))(buffer, count, byte_type, peer, tag, world, &own);
  *request = (void *)(0x5500000000000000 | (uint64_t)(uint32_t)own);
  return status;
}
int MPI_Isend(void *buffer, int count, void *type, int to, int tag, void *comm, void **request) { return start("MPI_Isend", buffer, count, type, to, tag, comm, request); }
int MPI_Irecv(void *buffer, int count, void *type, int from, int tag, void *comm, void **request) { return start("MPI_Irecv", buffer, count, type, from, tag, comm, request); }
int MPI_Test(void **request, int *flag, void *result) {
  if ((uint64_t)*request >> 32 != 0x55000000) return ERR_ARG;
  int own = (int)(uint64_t)*request;
  int status = ((int (*)(int *, int *, void *))real("MPI_Test"))(&own, flag, result);
  memset(result, 0xff, 32); // a status has 32 bytes
  *request = (void *)(0x5500000000000000 | (uint64_t)(uint32_t)own);
  return status;
}
int MPI_Iprobe(int from, int tag, void *comm, int *flag, void *result) {
  if (comm != (void *)COMM_WORLD) return ERR_ARG;
  return ((int (*)(int, int, int, int *, void *))real("MPI_Iprobe"))(from, tag, world, flag, result);
}
int MPI_Finalize(void) { return ((int (*)(void))real("MPI_Finalize"))(); }
int MPI_Abort(void *comm, int code) { return ((int (*)(int, int))real("MPI_Abort"))(world, code); }
