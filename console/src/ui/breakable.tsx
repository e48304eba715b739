import { Fragment } from "react"

/** A name that may wrap only after a slash, a colon or an underscore, besides spaces. */
export function Breakable({ name }: { readonly name: string }) {
  return name.split(/(?<=[/:_])/).map((part, place) => (
    <Fragment key={`${place} ${part}`}>
      {part}
      <wbr />
    </Fragment>
  ))
}
