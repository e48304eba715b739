/** A value that is nearly always in memory, so that the common case allocates no promise. */
export type MaybePromise<T> = T | Promise<T>
