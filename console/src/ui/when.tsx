import { momentText, relativeText } from "../format/moments.ts"

export interface WhenProperties {
  readonly at: string | null
  /** Shown if there is no time: "never". */
  readonly none?: string
  /** Shows the full date and time instead of a relative time. */
  readonly isExact?: boolean
}

/** A time in the reader's time zone, with UTC in its title. */
export function When({ at, none = "–", isExact = false }: WhenProperties) {
  if (at === null) return <span className="dim">{none}</span>
  const title = isExact ? at : `${momentText(at)} (${at})`
  return (
    <time dateTime={at} title={title} className="figures">
      {isExact ? momentText(at) : relativeText(at)}
    </time>
  )
}
