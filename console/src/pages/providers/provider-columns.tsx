import { ActionIcon, Badge, Button, Group, Menu, Text, Tooltip } from "@mantine/core"
import {
  IconDotsVertical,
  IconEdit,
  IconLock,
  IconPlugConnected,
  IconTrash,
} from "../../ui/icons.tsx"
import type { Provider } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { healthState, stateCode } from "../../format/health-state.ts"
import { countText } from "../../format/numbers.ts"
import type { Column } from "../../ui/data-table.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { HealthSummary, Speed } from "../../ui/reliability.tsx"
import { MarkedProvider } from "../../ui/provider-mark.tsx"
import type { ProviderTask } from "./providers-page.tsx"
import { t } from "../../languages/text.ts"

const ORIGINS: Readonly<Record<Provider["origin"], string>> = {
  file: t("from tollgate.yaml"),
  environment: t("from the environment"),
  sandbox: t("the simulator"),
  console: t("added here"),
}

type Begin = (task: ProviderTask) => void

/**
 * Returns the columns of the list of providers.
 * @param begin starts a task for a provider.
 */
export function providerColumns(
  begin: Begin,
  history: ReadonlyMap<string, ReliabilityRow> | undefined,
): readonly Column<Provider>[] {
  return [
    {
      id: "id",
      header: t("Provider"),
      width: 190,
      cell: (provider) => <Name provider={provider} />,
    },
    {
      id: "address",
      header: t("Address"),
      isSecondary: true,
      cell: (provider) => <Address provider={provider} />,
    },
    {
      id: "origin",
      header: t("Origin"),
      isSecondary: true,
      cell: (provider) => <Origin provider={provider} />,
    },
    {
      id: "models",
      header: t("Models"),
      isFigure: true,
      cell: ({ id, models }) => (
        <TextLink to="/models" search={{ provider: id }} size="sm">
          {countText(models)}
        </TextLink>
      ),
    },
    {
      id: "unpriced",
      header: t("Without a price"),
      isFigure: true,
      // Keeps the heading on one line when other columns become wider.
      width: 150,
      cell: (provider) => <Unpriced provider={provider} begin={begin} />,
    },
    {
      id: "speed",
      header: t("Duration"),
      isSecondary: true,
      isFigure: true,
      cell: ({ id }) => <Speed history={history?.get(id)} />,
    },
    {
      id: "health",
      header: t("Health"),
      cell: (provider) => <HealthCell provider={provider} history={history?.get(provider.id)} />,
    },
    {
      id: "actions",
      header: t("Actions"),
      isAction: true,
      cell: (provider) => <Actions provider={provider} begin={begin} />,
    },
  ]
}

function Name({ provider: { id, vendor, vendor_name: name } }: { readonly provider: Provider }) {
  return (
    <div>
      <Text fw={600} size="sm">
        <MarkedProvider provider={id} vendor={vendor}>
          {id}
        </MarkedProvider>
      </Text>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
    </div>
  )
}

function Address({ provider: { base_url: address, region } }: { readonly provider: Provider }) {
  return (
    <Text size="sm" className="anywhere" c="dimmed">
      {address ?? region ?? t("the vendor's default")}
    </Text>
  )
}

function Origin({ provider }: { readonly provider: Provider }) {
  const words = ORIGINS[provider.origin]
  if (!provider.is_locked) return <Text size="sm">{words}</Text>
  return (
    <Tooltip label={t("Locked here. Change it at its source.")}>
      <Badge
        variant="default"
        radius="sm"
        tt="none"
        fw={500}
        leftSection={<IconLock size={12} aria-hidden />}
        className="status"
        aria-label={t("Locked: {words}", { words })}
      >
        {words}
      </Badge>
    </Tooltip>
  )
}

interface HealthProperties {
  readonly provider: Provider
  readonly history: ReliabilityRow | undefined
}

function HealthCell({ provider, history }: HealthProperties) {
  const { problem, health } = provider
  const state = healthState(health.state, history)
  // Once a provider has recovered, its last error is no longer relevant.
  const error =
    problem ?? (state === "cooling_down" || state === "failing" ? health.last_error : null)
  return (
    <>
      <HealthSummary
        state={problem === null ? stateCode(state) : "unavailable"}
        history={history}
      />
      {error !== null && (
        <Text size="xs" c="dimmed" className="anywhere" maw={220} lineClamp={2} title={error}>
          {error}
        </Text>
      )}
    </>
  )
}

interface CellProperties {
  readonly provider: Provider
  readonly begin: Begin
}

function Unpriced({ provider, begin }: CellProperties) {
  const { unpriced_models: count } = provider
  if (count === 0) return <span className="dim">0</span>
  return (
    <Button
      size="compact-xs"
      variant="light"
      color="yellow"
      onClick={() => begin({ name: "prices", provider })}
      aria-label={t("{count} · fix the prices of {id}", {
        count: countText(count),
        id: provider.id,
      })}
    >
      {t("{count} · fix", { count: countText(count) })}
    </Button>
  )
}

function Actions({ provider, begin }: CellProperties) {
  const { is_locked: isLocked } = provider
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlugConnected size={14} />}
        onClick={() => begin({ name: "test", provider })}
        aria-label={t("Test {id}", { id: provider.id })}
      >
        {t("Test [button]")}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t("More actions for {id}", { id: provider.id })}
          >
            <IconDotsVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isLocked && (
            <Menu.Label>{t("Locked: {words}", { words: ORIGINS[provider.origin] })}</Menu.Label>
          )}
          <Menu.Item
            disabled={isLocked}
            leftSection={<IconEdit size={16} />}
            onClick={() => begin({ name: "change", provider })}
          >
            {t("Change [button]")}
          </Menu.Item>
          <Menu.Item
            disabled={isLocked}
            color="red"
            leftSection={<IconTrash size={16} />}
            onClick={() => begin({ name: "delete", provider })}
          >
            {t("Delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
