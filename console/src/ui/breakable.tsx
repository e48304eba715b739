import { Fragment } from "react"

/** A name in which lines may break only at spaces and after slashes, colons and underscores. */
export function Breakable({ name }: { readonly name: string }) {
  return name.split(/(?<=[/:_])/).map((part, place) => (
    <Fragment key={`${place} ${part}`}>
      {part}
      <wbr />
    </Fragment>
  ))
}
