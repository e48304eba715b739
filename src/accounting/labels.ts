/** Labels that the caller sets on a request. They are stored on its receipt. */
export interface Labels {
  /** The caller's end user. */
  readonly user?: string
  /** The conversation or agent run that the request belongs to. */
  readonly session?: string
  readonly tags?: Readonly<Record<string, string>>
}

/** Maximum characters of a user, a session, and the value of a tag. */
export const MAX_LABEL_LENGTH = 128
/** Maximum characters of a tag's name. */
export const MAX_TAG_NAME_LENGTH = 64
/** Maximum tags of one request. */
export const MAX_TAGS = 16

/** A label in the form that reports filter by. */
export interface Label {
  readonly name: LabelName
  /** The label's value; for a tag, `name=value`. */
  readonly value: string
}
export type LabelName = "user" | "session" | "tag"

/** Returns all labels of a request. */
export function listLabels({ user, session, tags = {} }: Labels): Label[] {
  return [
    ...(user === undefined ? [] : [{ name: "user", value: user } as const]),
    ...(session === undefined ? [] : [{ name: "session", value: session } as const]),
    ...Object.entries(tags).map(
      ([name, value]) => ({ name: "tag", value: `${name}=${value}` }) as const,
    ),
  ]
}
