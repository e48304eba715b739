/**
 * Creates a value on first use and caches it, so that values that most processes never need do not
 * slow down their start.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
