import type { Finding } from "./passage.ts"
import type { Reading } from "./repository.ts"

/** Maximum number of findings in a file of clean text. In rare cases, such a phrase is the best wording. */
const MAX_PER_FILE = 2
/** Number of words per allowed finding in a section of clean text. */
const WORDS_PER_FINDING = 1000
/** Maximum number of printed findings for a section above its limit. */
const MAX_PRINTED = 10

/** The limit of a section whose text is not clean yet. The limit may only decrease. */
export interface Limit {
  readonly folder: string
  readonly kind: Finding["kind"]
  readonly max: number
}

/** All text of one kind in one folder. */
interface Section {
  readonly folder: string
  readonly kind: Finding["kind"]
  words: number
  readonly findings: Finding[]
}

/** Returns the violations of the limits, one readable line each. */
export function checkSections(readings: readonly Reading[], limits: readonly Limit[]): string[] {
  return sectionsOf(readings).flatMap((section) => {
    const limit = limitOf(section, limits)
    if (limit === undefined) return isClean(section) ? [] : [unclean(section), ...linesOf(section)]
    if (section.findings.length <= limit.max) return []
    return [
      `${nameOf(section)}: ${section.findings.length} phrases to reword, ${limit.max} allowed by scripts/prose/limits.json`,
      ...linesOf(section).slice(0, MAX_PRINTED),
      `... 'bun scripts/prose.ts ${section.folder}' lists all`,
    ]
  })
}

/** Returns the limits lowered to the current numbers, without limits that are no longer needed. */
export function lowerLimits(readings: readonly Reading[], limits: readonly Limit[]): Limit[] {
  return sectionsOf(readings).flatMap((section) => {
    const limit = limitOf(section, limits)
    if (limit === undefined || isClean(section)) return []
    return [{ ...limit, max: Math.min(limit.max, section.findings.length) }]
  })
}

/** Formats a finding as one readable line. */
export function lineOf({ path, line, kind, phrase, instead }: Finding): string {
  return `${path}:${line} ${kind}: "${phrase}": ${instead}`
}

function sectionsOf(readings: readonly Reading[]): Section[] {
  const sections = new Map<string, Section>()
  const sectionOf = (path: string, kind: Finding["kind"]): Section => {
    const folder = folderOf(path)
    const name = `${folder} ${kind}`
    const section = sections.get(name) ?? { folder, kind, words: 0, findings: [] }
    sections.set(name, section)
    return section
  }
  for (const { path, words, findings } of readings) {
    for (const [kind, count] of words) sectionOf(path, kind).words += count
    for (const finding of findings) sectionOf(path, finding.kind).findings.push(finding)
  }
  return [...sections.values()]
}

/** Returns the first folder of a path, or the first two folders below `src`. */
function folderOf(path: string): string {
  const names = path.split("/")
  return names.slice(0, names[0] === "src" && names.length > 2 ? 2 : 1).join("/")
}

function limitOf({ folder, kind }: Section, limits: readonly Limit[]): Limit | undefined {
  return limits.find((limit) => limit.folder === folder && limit.kind === kind)
}

function isClean({ words, kind, findings }: Section): boolean {
  if (kind === "sentence") return findings.length === 0
  const files = Map.groupBy(findings, ({ path }) => path)
  return (
    findings.length <= Math.max(MAX_PER_FILE, words / WORDS_PER_FINDING) &&
    [...files.values()].every((inFile) => inFile.length <= MAX_PER_FILE)
  )
}

function unclean(section: Section): string {
  const { kind, words, findings } = section
  const rule =
    kind === "sentence"
      ? "long sentences"
      : `phrases to reword in ${words} words; at most ${MAX_PER_FILE} a file and 1 per ${WORDS_PER_FINDING} words are allowed`
  return `${nameOf(section)}: ${findings.length} ${rule}`
}

function nameOf({ folder, kind }: Section): string {
  return `${folder} (${kind}s)`
}

function linesOf({ findings }: Section): string[] {
  return findings.map((finding) => lineOf(finding))
}
