/** Matches generated ids: a prefix, followed by 32 hexadecimal digits, or by 24 characters for a call. */
const MINTED = /\b(call_|(?:[a-z]+[_-])+)([0-9a-f]{32}|(?<=call_)[0-9A-Za-z]{24})\b/g

/** Matches members that contain the current time in seconds. */
const TIMES = /"(created|created_at|completed_at)":( ?)(\d{10})\b/g
const FIXED_TIME = 1_700_000_000
const A_DAY = 86_400

/** Replaces values that differ between runs: ids become numbers, and times become constant. */
export function withFixedValues(text: string): string {
  const names = new Map<string, string>()
  const now = Date.now() / 1000
  return text
    .replace(MINTED, (id, prefix: string) => {
      const name = names.get(id) ?? `${prefix}minted_${names.size + 1}`
      names.set(id, name)
      return name
    })
    .replace(TIMES, (member, name: string, space: string, time: string) =>
      Math.abs(Number(time) - now) < A_DAY ? `"${name}":${space}${FIXED_TIME}` : member,
    )
}
