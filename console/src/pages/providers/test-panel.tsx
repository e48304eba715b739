import { Alert, Button, Group, Loader, Stack, Text } from "@mantine/core"
import { IconAlertCircle, IconCheck } from "../../ui/icons.tsx"
import type { Provider, ProviderTest } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { durationText } from "../../format/numbers.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { useTestRun } from "../../ui/use-test-run.ts"
import { LinkButton } from "../../ui/link-button.tsx"
import { ListedModels } from "./listed-models.tsx"
import { t } from "../../languages/text.ts"

export interface TestPanelProperties {
  readonly provider: Provider
  /** Whether the provider was just added. */
  readonly isNew?: boolean
  readonly onDone: () => void
}

/** Tests the provider and shows the result. */
export function TestPanel({ provider, isNew = false, onDone }: TestPanelProperties) {
  const test = useTestRun(["provider-test", provider.id], () =>
    api("POST /providers/{id}/test", { path: { id: provider.id } }),
  )
  return (
    <Stack gap="sm">
      {test.isFetching && (
        <Group gap="sm" role="status">
          <Loader size="sm" />
          <Text size="sm">{t("Asking {vendor}…", { vendor: provider.vendor_name })}</Text>
        </Group>
      )}
      {!test.isFetching && <ErrorNotice error={test.error} />}
      {!test.isFetching && test.data !== undefined && (
        <Verdict provider={provider.id} verdict={test.data} />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" loading={test.isFetching} onClick={() => void test.refetch()}>
          {t("Test again")}
        </Button>
        {isNew && (
          <LinkButton to="/models" search={{ provider: provider.id }} variant="default">
            {t("View its models")}
          </LinkButton>
        )}
        <Button onClick={onDone}>{t("Done")}</Button>
      </Group>
    </Stack>
  )
}

interface VerdictProperties {
  readonly provider: string
  readonly verdict: ProviderTest
}

function Verdict({ provider, verdict }: VerdictProperties) {
  const { ok, message, duration_ms: duration, models } = verdict
  return (
    <>
      <Alert
        color={ok ? "gate" : "red"}
        variant="light"
        icon={ok ? <IconCheck /> : <IconAlertCircle />}
        title={
          ok
            ? t("Responded in {duration}", { duration: durationText(duration) })
            : t("The response was not as expected")
        }
        role="status"
      >
        {message}
      </Alert>
      {models !== null && models.length > 0 && <ListedModels provider={provider} listed={models} />}
    </>
  )
}
