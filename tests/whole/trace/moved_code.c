/*
 * A library that copies the program's code to anonymous memory at the same addresses, as libraries do that put code on huge
 * pages. A server runs it when it loads the library as one of a function (CREATE FUNCTION ... SONAME).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void move(void *code, size_t bytes)
{
	void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return;
	memcpy(copy, code, bytes);
	mprotect(copy, bytes, PROT_READ | PROT_EXEC);
	mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, code);
}

__attribute__((constructor)) static void move_program(void)
{
	char program[4096] = "", line[8192], permissions[8];
	FILE *mappings = fopen("/proc/self/maps", "r");
	unsigned long start, end;

	if (!mappings || readlink("/proc/self/exe", program, sizeof(program) - 1) <= 0)
		return;
	while (fgets(line, sizeof(line), mappings)) {
		if (sscanf(line, "%lx-%lx %7s", &start, &end, permissions) == 3 && permissions[2] == 'x' &&
		    strstr(line, program))
			move((void *)start, end - start);
	}
	fclose(mappings);
}
