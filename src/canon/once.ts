/**
 * Returns a function that creates a value on first use and caches it. Values that most processes never need therefore
 * do not slow down startup.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
