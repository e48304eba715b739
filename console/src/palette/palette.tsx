import { TextInput, VisuallyHidden } from "@mantine/core"
import { type KeyboardEvent, useId, useState } from "react"
import type { NavEntry } from "../layout/nav.tsx"
import { IconSearch } from "../ui/icons.tsx"
import { countText } from "../format/numbers.ts"
import type { PaletteEntry } from "./entries.ts"
import { entryElementId, PaletteList } from "./palette-list.tsx"
import { useFound } from "./use-found.ts"
import { t } from "../languages/text.ts"

export interface PaletteProperties {
  readonly pages: readonly NavEntry[]
  readonly onHelp: () => void
  readonly onClose: () => void
}

const STEPS: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Finds pages, accounts, keys, models and requests by some letters of their names. */
export function Palette({ pages, onHelp, onClose }: PaletteProperties) {
  const id = useId()
  const [typed, setTyped] = useState("")
  const [index, setIndex] = useState(0)
  const groups = useFound(typed, pages, onHelp)
  const all = groups.flatMap(({ entries }) => entries)
  const active = all[Math.min(index, all.length - 1)]

  function follow(entry: PaletteEntry) {
    onClose()
    entry.choose()
  }

  function press(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || active === undefined) return
    const step = STEPS[event.key]
    if (step === undefined && event.key !== "Enter") return
    event.preventDefault()
    if (step === undefined) follow(active)
    else setIndex((all.indexOf(active) + step + all.length) % all.length)
  }

  return (
    <div>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={t("Search")}
        aria-expanded={active !== undefined}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={active && entryElementId(id, active)}
        autoComplete="off"
        spellCheck={false}
        variant="unstyled"
        size="md"
        placeholder={t("Search, or paste a request ID")}
        leftSection={<IconSearch size={18} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setIndex(0)
        }}
        onKeyDown={press}
      />
      <PaletteList
        id={id}
        groups={groups}
        active={active}
        onActivate={(entry) => setIndex(all.indexOf(entry))}
        onFollow={follow}
      />
      {active === undefined && <p className="palette-nothing">{t("Nothing found.")}</p>}
      <VisuallyHidden role="status">
        {typed === "" ? "" : t("Results: {count}", { count: countText(all.length) })}
      </VisuallyHidden>
    </div>
  )
}
