/** By whom and for what a request was sent, in its caller's own words. They stand on its receipt and change nothing else. */
export interface Labels {
  /** The caller's end user. */
  readonly user?: string
  /** The conversation or the run of an agent that it belongs to. */
  readonly session?: string
  readonly tags?: Readonly<Record<string, string>>
}

/** Characters of a user, a session, and the value of a tag. */
export const LONGEST_LABEL = 128
/** Characters of a tag's name. */
export const LONGEST_TAG_NAME = 64
/** Tags of one request. */
export const MOST_TAGS = 16

/** A label as reports look for it: who, which session, or which tag. */
export interface Label {
  readonly name: LabelName
  /** Of a tag `name=value`. */
  readonly value: string
}
export type LabelName = "user" | "session" | "tag"

/** All labels of a request. */
export function listLabels({ user, session, tags = {} }: Labels): Label[] {
  return [
    ...(user === undefined ? [] : [{ name: "user", value: user } as const]),
    ...(session === undefined ? [] : [{ name: "session", value: session } as const]),
    ...Object.entries(tags).map(
      ([name, value]) => ({ name: "tag", value: `${name}=${value}` }) as const,
    ),
  ]
}
