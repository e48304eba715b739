import { Kbd, Table } from "@mantine/core"
import type { NavEntry } from "../layout/nav.tsx"
import { modifierName } from "./shortcuts.ts"
import { t } from "../languages/text.ts"

/** Lists every shortcut and its effect. */
export function ShortcutList({ pages }: { readonly pages: readonly NavEntry[] }) {
  const rows: (readonly [keys: readonly string[], does: string])[] = [
    [[modifierName(), "K"], t("Search pages, accounts, keys, models and requests")],
    [["/"], t("Search or filter this page")],
    [["?"], t("Show these shortcuts")],
    [["Esc"], t("Close a dialog")],
  ]
  for (const { label, shortcut } of pages) {
    if (shortcut !== undefined) rows.push([["g", shortcut], t("Go to {label}", { label })])
  }
  return (
    <Table withRowBorders={false} verticalSpacing={4} aria-label={t("Keyboard shortcuts")}>
      <Table.Tbody>
        {rows.map(([keys, does]) => (
          <Table.Tr key={does}>
            <Table.Td className="shortcut-keys">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Table.Td>
            <Table.Td>{does}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
