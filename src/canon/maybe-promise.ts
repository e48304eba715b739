/** A value that is nearly always here already: to wait for it then would cost every request a turn of the loop. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with a value, at once where it is here. */
export function whenReady<T, R>(
  value: MaybePromise<T>,
  proceed: (value: T) => Promise<R>,
): Promise<R>
export function whenReady<T, R>(
  value: MaybePromise<T>,
  proceed: (value: T) => MaybePromise<R>,
): MaybePromise<R>
export function whenReady<T, R>(
  value: MaybePromise<T>,
  proceed: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(proceed) : proceed(value)
}

/** The value of `work`. @param failed is called with what it fails with, thrown at once or later. */
export function whenFailed<T>(
  work: () => MaybePromise<T>,
  failed: (error: unknown) => never,
): MaybePromise<T> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}
