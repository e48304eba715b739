import { momentText, relativeText } from "../format/moments.ts"

export interface WhenProperties {
  readonly at: string | null
  /** In place of a moment that there is none of: "never". */
  readonly none?: string
  /** The full date and time, not how long ago. */
  readonly isExact?: boolean
}

/** A moment in the reader's zone; its title has the same in UTC. */
export function When({ at, none = "–", isExact = false }: WhenProperties) {
  if (at === null) return <span className="dim">{none}</span>
  const title = isExact ? at : `${momentText(at)} (${at})`
  return (
    <time dateTime={at} title={title} className="figures">
      {isExact ? momentText(at) : relativeText(at)}
    </time>
  )
}
