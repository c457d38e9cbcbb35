import { z } from 'zod';

// Only the fields that tests and tools use; n8n's responses have many more.

export const credentialSchema = z.object({ id: z.string(), name: z.string(), type: z.string() });
export type N8nCredential = z.infer<typeof credentialSchema>;

export const credentialTestSchema = z.object({
	status: z.enum(['OK', 'Error']),
	message: z.string(),
});

const nodeSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		type: z.string(),
		typeVersion: z.number(),
		position: z.tuple([z.number(), z.number()]),
		parameters: z.record(z.unknown()),
		credentials: z.record(z.object({ id: z.string().nullable(), name: z.string() })).optional(),
		webhookId: z.string().optional(),
	})
	.passthrough();
export type N8nNode = z.infer<typeof nodeSchema>;

const linkSchema = z.object({ node: z.string(), type: z.string(), index: z.number() });

/** By node and by connection type, such as `main` or `ai_tool`. */
const connectionsSchema = z.record(z.record(z.array(z.array(linkSchema).nullable())));

/** By node: pinned items that a manual run uses instead of running the node. */
const pinDataSchema = z.record(z.array(z.object({ json: z.record(z.unknown()) })));

export const workflowSchema = z.object({
	id: z.string(),
	name: z.string(),
	active: z.boolean(),
	versionId: z.string(),
	nodes: z.array(nodeSchema),
	connections: connectionsSchema,
	settings: z.record(z.unknown()).nullish(),
	staticData: z.unknown(),
	pinData: pinDataSchema.nullish(),
});
export type N8nWorkflow = z.infer<typeof workflowSchema>;

/** A workflow to create, in the format of an exported one. */
export const workflowDraftSchema = z.object({
	name: z.string(),
	nodes: z.array(nodeSchema),
	connections: connectionsSchema,
	settings: z.record(z.unknown()).optional(),
	pinData: pinDataSchema.optional(),
});
export type N8nWorkflowDraft = z.infer<typeof workflowDraftSchema>;

const executionStatusSchema = z.enum([
	'canceled',
	'crashed',
	'error',
	'new',
	'running',
	'success',
	'unknown',
	'waiting',
]);

export const executionSummarySchema = z.object({
	id: z.string(),
	workflowId: z.string(),
	status: executionStatusSchema,
	/** How it was started, such as `webhook`, `manual` or `trigger`. */
	mode: z.string(),
	startedAt: z.string().nullable(),
	stoppedAt: z.string().nullish(),
});
export type N8nExecutionSummary = z.infer<typeof executionSummarySchema>;

export const executionListSchema = z.object({
	results: z.array(executionSummarySchema),
});

export const executionResponseSchema = executionSummarySchema.extend({
	/** Stored by n8n in the `flatted` format. */
	data: z.string(),
});

const itemSchema = z.object({ json: z.record(z.unknown()) }).passthrough();
const errorSchema = z.object({ message: z.string() }).passthrough();

export const executionDataSchema = z.object({
	resultData: z.object({
		error: errorSchema.optional(),
		runData: z
			.record(
				z.array(
					z.object({
						data: z.object({ main: z.array(z.array(itemSchema).nullable()).optional() }).optional(),
					}),
				),
			)
			.default({}),
	}),
});

/** An execution with the output of its nodes. */
export type N8nExecution = N8nExecutionSummary & { data: z.infer<typeof executionDataSchema> };

export const publicationSchema = z.object({
	/** `in_progress` until n8n has carried out the change. */
	status: z.enum(['in_progress', 'not_published', 'published', 'partial', 'failed']),
	/** The errors that the editor shows at the workflow's triggers. */
	triggers: z.array(z.object({ nodeId: z.string(), errorMessage: z.string().nullable() })),
});
/** The progress and errors of an activation or deactivation. */
export type N8nPublication = z.infer<typeof publicationSchema>;

export const settingsSchema = z
	.object({
		userManagement: z.object({ showSetupOnFirstLoad: z.boolean() }),
		/** Absent in n8n 1. */
		useWorkflowPublicationService: z.boolean().default(false),
	})
	.transform(({ userManagement, useWorkflowPublicationService }) => ({
		isOwnerSetUp: !userManagement.showSetupOnFirstLoad,
		/** Whether n8n responds to an activation or deactivation before it carries it out: the default in n8n 2. */
		hasPublicationService: useWorkflowPublicationService,
	}));

/** A node's description as the editor gets it. */
export const nodeTypeSchema = z.object({
	name: z.string(),
	displayName: z.string(),
	description: z.string(),
	codex: z
		.object({ alias: z.array(z.string()).optional() })
		.passthrough()
		.optional(),
});
export type N8nNodeType = z.infer<typeof nodeTypeSchema>;

/** A package that was installed from npm. */
export const installedPackageSchema = z.object({
	packageName: z.string(),
	installedVersion: z.string(),
});
