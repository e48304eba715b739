import { Fragment } from "react"

/** A name that goes on in the next line only after a slash, a colon or an underscore, and where any word does. */
export function Breakable({ name }: { readonly name: string }) {
  return name.split(/(?<=[/:_])/).map((part, place) => (
    <Fragment key={`${place} ${part}`}>
      {part}
      <wbr />
    </Fragment>
  ))
}
