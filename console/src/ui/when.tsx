import { momentText, relativeText } from "../format/moments.ts"

export interface WhenProperties {
  readonly at: string | null
  /** The text shown if there is no time: "never". */
  readonly none?: string
  /** Whether the full date and time is shown rather than a relative time. */
  readonly isExact?: boolean
}

/** Shows a time in the reader's time zone. The title contains the time in UTC. */
export function When({ at, none = "–", isExact = false }: WhenProperties) {
  if (at === null) return <span className="dim">{none}</span>
  const title = isExact ? at : `${momentText(at)} (${at})`
  return (
    <time dateTime={at} title={title} className="figures">
      {isExact ? momentText(at) : relativeText(at)}
    </time>
  )
}
