/** A value that is usually available immediately. The common case then allocates no promise. */
export type MaybePromise<T> = T | Promise<T>
