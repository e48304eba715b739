/** A value that is nearly always in memory already, so that the common case allocates no promise. */
export type MaybePromise<T> = T | Promise<T>
