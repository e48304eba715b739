import { Alert, Button, Group, Stack, Text } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { SettingsTest } from "tollgate-contract/operations.ts"
import { durationText } from "../../format/numbers.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { IconAlertCircle, IconCheck } from "../../ui/icons.tsx"
import { t } from "../../languages/text.ts"

export interface SettingsTestProperties {
  /** Whether there are unsaved changes. The test uses the saved settings only. */
  readonly hasChanges: boolean
}

interface TestRunProperties extends SettingsTestProperties {
  readonly label: string
  readonly run: () => Promise<SettingsTest>
  /** The fields of the test, before its button. */
  readonly children?: ReactNode
  /** Whether the fields of the test are complete. */
  readonly isReady?: boolean
}

/** Runs a test of the saved settings and shows its result. */
export function TestRun({ label, hasChanges, run, children, isReady = true }: TestRunProperties) {
  const test = useMutation({ mutationFn: run })
  const { data } = test
  return (
    <Stack gap="xs">
      <Group gap="xs" align="end">
        {children}
        <Button
          variant="default"
          disabled={hasChanges || !isReady}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {label}
        </Button>
        {hasChanges && (
          <Text size="sm" c="dimmed">
            {t("Save the changes first.")}
          </Text>
        )}
      </Group>
      <ErrorNotice error={test.error} title={t("The test could not be run")} />
      {data !== undefined && <TestVerdict result={data} />}
    </Stack>
  )
}

/** Shows the result of a test. */
export function TestVerdict({ result }: { readonly result: SettingsTest }) {
  const { ok, message, duration_ms: duration } = result
  return (
    <Alert
      color={ok ? "gate" : "red"}
      variant="light"
      icon={ok ? <IconCheck /> : <IconAlertCircle />}
      title={
        ok
          ? t("Succeeded in {duration}", { duration: durationText(duration) })
          : t("The test failed")
      }
      role="status"
    >
      {message}
    </Alert>
  )
}
