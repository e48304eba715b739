/**
 * Matches a comment line in Prometheus' text format.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats
 */
const COMMENT = /^# (?:HELP [a-z_]+ .+|TYPE (?<name>[a-z_]+) (?:counter|gauge|histogram))$/
const SAMPLE = /^(?<name>[a-z_]+)(?:\{(?<labels>[^}]*)\})? (?<value>[-+.0-9eEInfa]+)$/
const LABEL = /(?<name>[a-z_]+)="(?<value>(?:[^"\\]|\\.)*)"/g

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * Returns all samples of a text.
 * @throws Error for an invalid line, or for a series that appears twice.
 */
export function samplesOf(text: string): Sample[] {
  const seen = new Set<string>()
  return text
    .split("\n")
    .filter((line) => line !== "" && !COMMENT.test(line))
    .map((line) => {
      const { name, labels = "", value } = SAMPLE.exec(line)?.groups ?? {}
      if (name === undefined) throw new Error(`no sample: ${line}`)
      const series = `${name}{${labels}}`
      if (seen.has(series)) throw new Error(`twice: ${series}`)
      seen.add(series)
      const pairs = [...labels.matchAll(LABEL)].map(({ groups }) => [groups?.name, groups?.value])
      return {
        name,
        labels: Object.fromEntries(pairs) as Record<string, string>,
        value: Number(value),
      }
    })
}

/** Returns the sum of a metric's samples that have these labels. */
export function valueOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) =>
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0)
}
