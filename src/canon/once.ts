/** What is made when it is first asked for, and kept: what most processes never need costs their start nothing. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
