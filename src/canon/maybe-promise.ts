/** A value that is usually available immediately, so that the common case allocates no promise. */
export type MaybePromise<T> = T | Promise<T>
