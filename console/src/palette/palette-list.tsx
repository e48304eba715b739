import { useEffect, useRef } from "react"
import type { PaletteEntry, PaletteGroup } from "./entries.ts"
import { t } from "../languages/text.ts"

export interface PaletteListProperties {
  readonly id: string
  readonly groups: readonly PaletteGroup[]
  /** The entry that Enter opens; undefined if there are no results. */
  readonly active: PaletteEntry | undefined
  readonly onActivate: (entry: PaletteEntry) => void
  readonly onFollow: (entry: PaletteEntry) => void
}

/** Returns the id of an entry's element. The search field refers to it. */
export function entryElementId(list: string, entry: PaletteEntry): string {
  return `${list}${entry.id}`
}

/** Lists the results by group. The focus stays in the search field. */
export function PaletteList(properties: PaletteListProperties) {
  const { id, groups, active, onActivate, onFollow } = properties
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" })
  }, [active?.id])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={t("Results")}
      className="palette-list"
      hidden={active === undefined}
    >
      {groups.map(({ name, entries }) => (
        <div key={name} role="group" aria-label={name}>
          <p className="nav-heading" aria-hidden>
            {name}
          </p>
          {entries.map((entry) => (
            <div
              key={entry.id}
              id={entryElementId(id, entry)}
              role="option"
              aria-selected={entry.id === active?.id}
              className="palette-entry"
              onClick={() => onFollow(entry)}
              onMouseMove={() => onActivate(entry)}
            >
              <span className="anywhere">{entry.label}</span>
              <span className="palette-detail">{entry.detail}</span>
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
