/** A glob with `*` and `?` as a pattern of `LIKE`. */
export function globPattern(glob: string): string {
  return glob
    .replace(/[\\%_]/g, "\\$&")
    .replaceAll("*", "%")
    .replaceAll("?", "_")
}
