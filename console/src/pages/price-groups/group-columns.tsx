import { Button, Group, Text } from "@mantine/core"
import type { PriceGroup } from "tollgate-contract/price-groups.ts"
import { countText } from "../../format/numbers.ts"
import type { Column } from "../../ui/data-table.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { When } from "../../ui/when.tsx"
import { currentTerms, termText } from "./group-values.ts"
import { t } from "../../languages/text.ts"

export interface GroupActions {
  readonly change: (group: PriceGroup) => void
  readonly remove: (group: PriceGroup) => void
}

export function groupColumns(actions: GroupActions): readonly Column<PriceGroup>[] {
  return [
    {
      id: "group",
      header: t("Group"),
      cell: ({ id, name, problems }) => (
        <span className="anywhere">
          {name !== null && <>{name} </>}
          <span className="mono dim">{id}</span>
          {problems.map((problem) => (
            <Text key={problem} size="xs" c="dimmed">
              {problem.replace(/^price_groups\.[^:]*: /, "")}
            </Text>
          ))}
        </span>
      ),
    },
    { id: "now", header: t("Price now"), cell: (group) => termText(currentTerms(group).active) },
    { id: "next", header: t("Next"), cell: (group) => <Next group={group} /> },
    {
      id: "members",
      header: t("Accounts"),
      isFigure: true,
      cell: ({ id, members }) =>
        members === 0 ? (
          "0"
        ) : (
          <TextLink to="/accounts" search={{ price_group: id }}>
            {countText(members)}
          </TextLink>
        ),
    },
    {
      id: "actions",
      header: t("Actions"),
      isAction: true,
      cell: (group) => <Actions group={group} {...actions} />,
    },
  ]
}

function Next({ group }: { readonly group: PriceGroup }) {
  const { next } = currentTerms(group)
  if (next === undefined) return <span className="dim">–</span>
  return (
    <>
      {termText(next)}
      <Text size="xs" c="dimmed">
        <When at={next.from} isExact />
      </Text>
    </>
  )
}

function Actions({ group, change, remove }: GroupActions & { readonly group: PriceGroup }) {
  const name = group.name ?? group.id
  if (group.is_locked)
    return (
      <Text size="xs" c="dimmed">
        {t("Set in tollgate.yaml")}
      </Text>
    )
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={t("Change {name}", { name })}
        onClick={() => change(group)}
      >
        {t("Change [button]")}
      </Button>
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        aria-label={t("Delete {name}", { name })}
        onClick={() => remove(group)}
      >
        {t("Delete")}
      </Button>
    </Group>
  )
}
