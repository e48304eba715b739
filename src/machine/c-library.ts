import { dlopen, type FFIFunction } from "bun:ffi"

/** Where the C library is: glibc, musl on both kinds of machine, macOS. */
const LIBRARIES = [
  "libc.so.6",
  "libc.musl-x86_64.so.1",
  "libc.musl-aarch64.so.1",
  "libSystem.B.dylib",
]

/**
 * Functions of the C library.
 * @throws Error where it is not found, or lacks one of them.
 */
export function cLibrary<const Functions extends Record<string, FFIFunction>>(
  functions: Functions,
) {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, functions).symbols
    } catch {
      // Another system's.
    }
  }
  throw new Error("the C library was not found")
}
