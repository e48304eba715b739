/**
 * Returns a function that creates a value on first use and caches it. Values that most processes never need then do not
 * slow down the start.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
