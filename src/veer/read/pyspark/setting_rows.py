"""Settings of Spark SQL: a row says what a setting has an effect on, and its default in Spark.

    name   name=default   name=default<4.0:the default before

Settings that decide what expressions mean have rows of their own, `MODELLED` in `veer.settings`.
The list has the names of Spark 4.3 and those before it: an invented name is on no list, and what a new Spark
adds is looked at before it gets here. A setting that stands nowhere here is refused by name. Left
out of `optimizer`: what restores wrong results of the past, and what decides which rows a query gives.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, final

from veer import settings

PREFIX = "spark.sql."


class Effect(Enum):
    """What a setting has an effect on."""

    NOTHING = "how Spark works, what it allows: not what it computes"
    GRAMMAR = "how SQL is parsed, which rules others add: an analyzed plan shows it"
    SOURCES = "what is read of files and tables: versions under other values read other sources"
    WRITES = "what becomes of a write"
    UNKNOWN = "refused away from its default, which programs may ask for"


_ROWS = {
    Effect.NOTHING: """
        adaptive.advisoryPartitionSizeInBytes adaptive.applyFinalStageShuffleOptimizations
        adaptive.autoBroadcastJoinThreshold adaptive.coalescePartitions.enabled=true
        adaptive.coalescePartitions.initialPartitionNum
        adaptive.coalescePartitions.maxReducerPartitionsPerTask
        adaptive.coalescePartitions.minPartitionNum adaptive.coalescePartitions.minPartitionSize
        adaptive.coalescePartitions.parallelismFirst
        adaptive.convertSortMergeJoinToShuffledHashJoin.enabled
        adaptive.convertSortMergeJoinToShuffledHashJoin.lookThroughOperators.enabled
        adaptive.convertSortMergeJoinToShuffledHashJoin.minWideningFactor
        adaptive.costEvaluator.countLocalSort.enabled adaptive.customCostEvaluatorClass
        adaptive.enabled=true adaptive.fetchShuffleBlocksInBatch adaptive.forceApply
        adaptive.forceOptimizeSkewedJoin adaptive.localShuffleReader.enabled adaptive.logLevel
        adaptive.maxShuffledHashJoinLocalMapThreshold
        adaptive.nonEmptyPartitionRatioForBroadcastJoin
        adaptive.optimizeSkewsInRebalancePartitions.enabled adaptive.optimizer.excludedRules
        adaptive.rebalancePartitionsSmallPartitionFactor
        adaptive.shuffle.targetPostShuffleInputSize adaptive.skewJoin.enabled=true
        adaptive.skewJoin.skewedPartitionFactor adaptive.skewJoin.skewedPartitionThresholdInBytes
        adaptive.streaming.stateless.enabled artifact.cacheStorageLevel
        artifact.copyFromLocalToFs.allowDestLocal artifact.isolation.alwaysApplyClassloader
        artifact.isolation.enabled autoBroadcastJoinThreshold=10485760b broadcastTimeout=300000ms
        catalogImplementation=in-memory cbo.enabled=false cbo.joinReorder.card.weight
        cbo.joinReorder.dp.star.filter cbo.joinReorder.dp.threshold cbo.joinReorder.enabled
        cbo.planStats.enabled cbo.starJoinFTRatio cbo.starSchemaDetection
        codegen.aggregate.fastHashMap.capacityBit codegen.aggregate.map.twolevel.enabled
        codegen.aggregate.map.twolevel.partialOnly codegen.aggregate.map.vectorized.enable
        codegen.aggregate.sortAggregate.enabled codegen.aggregate.sortAggregate.withKeys.enabled
        codegen.aggregate.splitAggregateFunc.enabled codegen.broadcastCleanedSourceThreshold
        codegen.cache.maxEntries codegen.comments codegen.compiler codegen.factoryMode
        codegen.fallback codegen.hugeMethodLimit
        codegen.join.buildSideOuterShuffledHashJoin.enabled
        codegen.join.existenceSortMergeJoin.enabled codegen.join.fullOuterShuffledHashJoin.enabled
        codegen.join.fullOuterSortMergeJoin.enabled codegen.logLevel codegen.logging.maxLines
        codegen.maxFields codegen.methodSplitThreshold codegen.splitConsumeFuncByOperator
        codegen.useIdInClassName codegen.wholeStage=true codegen.wholeStage.union.enabled
        codegen.wholeStage.union.maxChildren dataFrameQueryContext.enabled=true
        debug.maxToStringFields=25 defaultCatalog event.truncate.length
        execution.arrow.enabled=true<4.2:false execution.arrow.maxRecordsPerBatch=10000
        execution.arrow.pyspark.enabled=true<4.2:false
        execution.arrow.pyspark.fallback.enabled=true execution.arrow.pyspark.selfDestruct.enabled
        execution.arrow.pyspark.validateSchema.enabled
        execution.pythonUDF.arrow.enabled=true<4.2:false files.maxPartitionBytes=134217728b
        files.maxPartitionNum files.minPartitionNum files.openCostInBytes globalTempDatabase
        hive.metastore.uris hive.metastore.warehouse.dir hive.metastorePartitionPruning
        hive.metastorePartitionPruningFallbackOnException
        hive.metastorePartitionPruningFastFallback hive.metastorePartitionPruningInSetThreshold
        inMemoryColumnarStorage.batchSize=10000 inMemoryColumnarStorage.compressed=true
        inMemoryColumnarStorage.enableVectorizedReader
        inMemoryColumnarStorage.hugeVectorReserveRatio inMemoryColumnarStorage.hugeVectorThreshold
        inMemoryColumnarStorage.partitionPruning join.asofJoin.enabled
        join.forceApplyShuffledHashJoin join.preferSortMergeJoin join.sortMergeAsOfJoin.enabled
        join.splitStreamedSideJoinCondition legacy.addSingleFileInAddFile=false
        legacy.allowAutoGeneratedAliasForView=false legacy.allowEmptySchemaWrite=false
        legacy.allowHashOnMapType=false legacy.allowNonEmptyLocationInCTAS=false
        legacy.allowSessionVariableInPersistedView=false
        legacy.allowTempViewCreationWithMultipleNameparts=false legacy.allowUntypedScalaUDF=false
        legacy.blockCreateTempTableUsingProvider=false
        legacy.bucketedTableScan.outputOrdering=false
        legacy.dataset.nameNonStructGroupingKeyAsValue=false legacy.emptyCurrentDBInCli=false
        legacy.hive.thriftServer.allowSettingSystemProperties=false
        legacy.hive.thriftServer.useZeroBasedColumnOrdinalPosition
        legacy.keepCommandOutputSchema=false legacy.notReserveProperties=false
        legacy.observeMetricsAggregateAllAttempts=false legacy.raiseErrorWithoutErrorClass=false
        legacy.setCommandRejectsSparkCoreConfs=true
        legacy.skipTypeValidationOnAlterPartition=false legacy.useV1Command=false
        legacy.v1IdentifierNoCatalog=false legacy.viewSchemaBindingMode=true
        maxMetadataStringLength maxPlanStringLength metadataCacheTTLSeconds
        optimizer.avoidCollapseUDFWithExpensiveExpr optimizer.avoidDoubleFilterEval
        optimizer.canChangeCachedPlanOutputPartitioning optimizer.collapseProjectAlwaysInline
        optimizer.datasourceV2JoinPushdown optimizer.disableHints
        optimizer.dynamicPartitionPruning.broadcastProjection.enabled
        optimizer.dynamicPartitionPruning.broadcastProjection.maxBytes
        optimizer.dynamicPartitionPruning.broadcastProjection.maxRows
        optimizer.dynamicPartitionPruning.broadcastProjection.maxSourceBytes
        optimizer.dynamicPartitionPruning.enabled
        optimizer.dynamicPartitionPruning.fallbackFilterRatio
        optimizer.dynamicPartitionPruning.reuseBroadcastOnly
        optimizer.dynamicPartitionPruning.useStats optimizer.excludedRules
        optimizer.expression.nestedPruning.enabled optimizer.expressionProjectionCandidateLimit
        optimizer.getJsonObjectSharedParsing.enabled optimizer.inSetConversionThreshold
        optimizer.inSetSwitchThreshold optimizer.mapLookupHashThreshold
        optimizer.mergeSubplans.filterPropagation.dsv2SymmetricFilterPropagation.enabled
        optimizer.mergeSubplans.filterPropagation.enabled
        optimizer.mergeSubplans.filterPropagation.symmetricFilterPropagation.enabled
        optimizer.mergeSubplans.filterPropagation.throughJoin.enabled
        optimizer.nestedSchemaPruning.enabled optimizer.optimizeExpandRatio
        optimizer.plannedWrite.enabled optimizer.preserveAliasMetadataWhenCollapsingProjects
        optimizer.propagateDistinctKeys.enabled optimizer.pullHintsIntoSubqueries
        optimizer.pushDownJoinThroughUnion.enabled
        optimizer.rewriteCountDistinctConditional.enabled
        optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold
        optimizer.runtime.bloomFilter.creationSideThreshold optimizer.runtime.bloomFilter.enabled
        optimizer.runtime.bloomFilter.expectedNumItems
        optimizer.runtime.bloomFilter.materializedCreationSideThreshold
        optimizer.runtime.bloomFilter.maxNumBits optimizer.runtime.bloomFilter.maxNumItems
        optimizer.runtime.bloomFilter.numBits
        optimizer.runtime.rowLevelOperationGroupFilter.enabled
        optimizer.runtimeFilter.number.threshold optimizer.serializer.nestedSchemaPruning.enabled
        optimizer.singleTaskExecution.aggregation optimizer.singleTaskExecution.enabled
        optimizer.singleTaskExecution.expand optimizer.singleTaskExecution.limitOffset
        optimizer.singleTaskExecution.localTableScan.minRows
        optimizer.singleTaskExecution.localTableScan.threshold
        optimizer.singleTaskExecution.maxNumFiles optimizer.singleTaskExecution.minNumBytes
        optimizer.singleTaskExecution.minNumFiles optimizer.singleTaskExecution.sort
        optimizer.singleTaskExecution.window orc.compression.codec orc.filterPushdown
        parquet.columnarReaderBatchSize parquet.compression.codec=snappy
        parquet.enableVectorizedReader parquet.filterPushdown planChangeLog.batches
        planChangeLog.level planChangeLog.rules pyspark.dataSource.profiler
        pyspark.jvmStacktrace.enabled pyspark.plotting.max_rows pyspark.toJSON.returnDataFrame
        pyspark.udf.profiler pyspark.worker.logging.enabled redaction.options.regex
        redaction.string.regex repl.eagerEval.enabled=false repl.eagerEval.maxNumRows=20
        repl.eagerEval.truncate=20 runSQLOnFiles=true shuffle.partitions=200
        sources.bucketing.autoBucketedScan.enabled sources.bucketing.enabled=true
        sources.bucketing.maxBuckets sources.parallelPartitionDiscovery.parallelism
        sources.parallelPartitionDiscovery.threshold stackTracesInDataFrameContext=1
        statistics.fallBackToHdfs statistics.histogram.enabled statistics.histogram.numBins
        statistics.ndv.maxError statistics.parallelFileListingInStatsComputation.enabled
        statistics.percentile.accuracy statistics.size.autoUpdate.enabled
        statistics.updatePartitionStatsInAnalyzeTable.enabled
        streaming.aggregation.stateFormatVersion streaming.asyncLogPurge.enabled
        streaming.checkUnfinishedRepartitionOnRestart streaming.checkpoint.fileChecksum.enabled
        streaming.checkpoint.fileChecksum.skipCreationIfFileMissingChecksum
        streaming.checkpoint.renamedFileCheck.enabled
        streaming.checkpoint.verifyMetadataExists.enabled streaming.checkpointFileManagerClass
        streaming.checkpointLocation streaming.commitProtocolClass
        streaming.continuous.epochBacklogQueueSize streaming.continuous.executorPollIntervalMs
        streaming.continuous.executorQueueSize streaming.disabledV2MicroBatchReaders
        streaming.disabledV2Writers streaming.fileSink.log.cleanupDelay
        streaming.fileSink.log.compactInterval streaming.fileSink.log.deletion
        streaming.fileSource.cleaner.numThreads streaming.fileSource.log.cleanupDelay
        streaming.fileSource.log.compactInterval streaming.fileSource.log.deletion
        streaming.fileSource.schema.forceNullable streaming.fileStreamSink.ignoreMetadata
        streaming.flatMapGroupsWithState.skipEmittingInitialStateKeys
        streaming.flatMapGroupsWithState.stateFormatVersion
        streaming.forceDeleteTempCheckpointLocation streaming.internal.stateStore.partitions
        streaming.join.stateFormatVersion streaming.kafka.useDeprecatedOffsetFetching
        streaming.maxBatchesToRetainInMemory streaming.metadataCache.enabled
        streaming.metricsEnabled streaming.minBatchesToRetain streaming.multipleWatermarkPolicy
        streaming.noDataMicroBatches.enabled streaming.noDataProgressEventInterval
        streaming.numRecentProgressUpdates streaming.offsetLog.formatVersion
        streaming.optimizeOneRowPlan.enabled streaming.pollingDelay
        streaming.queryEvolution.enableSinkEvolution
        streaming.queryEvolution.enableSourceEvolution
        streaming.ratioExtraSpaceAllowedInCheckpoint streaming.realTimeMode.allowlistCheck
        streaming.realTimeMode.asyncProgressTrackingByDefault.enabled
        streaming.realTimeMode.dangerouslyAllowCheckpointV1.enabled
        streaming.realTimeMode.minBatchDuration
        streaming.realTimeMode.transformWithState.ttlEvictionIntervalMs streaming.schemaInference
        streaming.sessionWindow.merge.sessions.in.local.partition
        streaming.sessionWindow.stateFormatVersion streaming.stateStore.autoSnapshotRepair.enabled
        streaming.stateStore.autoSnapshotRepair.maxChangeFileReplay
        streaming.stateStore.autoSnapshotRepair.numFailuresBeforeActivating
        streaming.stateStore.checkpointFormatVersion streaming.stateStore.commitValidation.enabled
        streaming.stateStore.compression.codec
        streaming.stateStore.coordinatorReportSnapshotUploadLag
        streaming.stateStore.encodingFormat streaming.stateStore.fileChecksumThreadPoolSize
        streaming.stateStore.forceSnapshotUploadOnLag
        streaming.stateStore.formatValidation.enabled
        streaming.stateStore.maintenanceForceShutdownTimeout
        streaming.stateStore.maintenanceInterval streaming.stateStore.maintenanceProcessingTimeout
        streaming.stateStore.maintenanceShutdownTimeout
        streaming.stateStore.maxLaggingStoresToReport streaming.stateStore.maxNumStateSchemaFiles
        streaming.stateStore.maxVersionsToDeletePerMaintenance
        streaming.stateStore.minDeltasForSnapshot
        streaming.stateStore.multiplierForMinTimeDiffToLog
        streaming.stateStore.multiplierForMinVersionDiffToLog
        streaming.stateStore.numStateStoreInstanceMetricsToReport
        streaming.stateStore.numStateStoreMaintenanceThreads streaming.stateStore.providerClass
        streaming.stateStore.rocksdb.formatVersion
        streaming.stateStore.rocksdb.mergeOperatorVersion streaming.stateStore.rowChecksum.enabled
        streaming.stateStore.rowChecksum.readVerificationRatio
        streaming.stateStore.skipNullsForStreamStreamJoins.enabled
        streaming.stateStore.snapshotLagReportInterval
        streaming.stateStore.snapshotToCleanupThreadRatio streaming.stateStore.stateSchemaCheck
        streaming.stateStore.unloadOnCommit
        streaming.stateStore.valueStateSchemaEvolutionThreshold
        streaming.statefulOperator.allowMultiple
        streaming.statefulOperator.alwaysNullableOutput.enabled
        streaming.statefulOperator.checkCorrectness.enabled
        streaming.statefulOperator.incrementalCleanupFactor
        streaming.statefulOperator.useStrictDistribution streaming.stopActiveRunOnRestart
        streaming.stopTimeout streaming.streamingQueryListeners
        streaming.transformWithState.stateSchemaVersion
        streaming.triggerAvailableNowWrapper.enabled streaming.ui.enabled
        streaming.ui.enabledCustomMetricList streaming.ui.retainedProgressUpdates
        streaming.ui.retainedQueries streaming.unsupportedOperationCheck
        streaming.useStreamlineAggregator streaming.validateEventTimeWatermarkColumn
        streaming.verifyCheckpointDirectoryEmptyOnStart subquery.maxThreadThreshold
        thriftServer.catalogMetadata.enabled thriftServer.incrementalCollect
        thriftServer.interruptOnCancel thriftServer.queryTimeout ui.explainMode
        ui.retainedExecutions warehouse.dir
        """,
    Effect.GRAMMAR: """
        ansi.doubleQuotedIdentifiers=false ansi.enforceReservedKeywords=false
        ansi.relationPrecedence=false extensions
        """,
    Effect.SOURCES: """
        avro.datetimeRebaseModeInRead=CORRECTED<4.0:EXCEPTION files.ignoreCorruptFiles=false
        files.ignoreMissingFiles=false hive.caseSensitiveInferenceMode=NEVER_INFER
        hive.convertMetastoreOrc hive.convertMetastoreParquet
        legacy.avro.allowIncompatibleSchema=false legacy.avro.datetimeRebaseModeInRead
        legacy.extraOptionsBehavior.enabled=false legacy.parquet.datetimeRebaseModeInRead
        legacy.parquet.int96RebaseModeInRead legacy.parquet.nanosAsLong=false
        legacy.parquet.returnNullStructIfAllFieldsMissing=false orc.mergeSchema=false
        parquet.binaryAsString=false parquet.datetimeRebaseModeInRead=CORRECTED<4.0:EXCEPTION
        parquet.inferTimestampNTZ.enabled=true parquet.int96AsTimestamp=true
        parquet.int96RebaseModeInRead=CORRECTED<4.0:EXCEPTION
        parquet.int96TimestampConversion=false parquet.mergeSchema=false
        sources.partitionColumnTypeInference.enabled=true
        """,
    Effect.WRITES: """
        avro.datetimeRebaseModeInWrite=CORRECTED<4.0:EXCEPTION files.maxRecordsPerFile=0
        legacy.avro.datetimeRebaseModeInWrite legacy.createHiveTableByDefault=false<4.0:true
        legacy.nullValueWrittenAsQuotedEmptyStringCsv=false
        legacy.parquet.datetimeRebaseModeInWrite legacy.parquet.int96RebaseModeInWrite
        parquet.datetimeRebaseModeInWrite=CORRECTED<4.0:EXCEPTION
        parquet.int96RebaseModeInWrite=CORRECTED<4.0:EXCEPTION parquet.outputTimestampType=INT96
        parquet.writeLegacyFormat=false
        sources.commitProtocolClass=org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol
        sources.default=parquet sources.partitionOverwriteMode=STATIC storeAssignmentPolicy=ANSI
        """,
    Effect.UNKNOWN: """
        columnNameOfCorruptRecord=_corrupt_record crossJoin.enabled=true
        datetime.java8API.enabled=false decimalOperations.allowPrecisionLoss=true
        execution.arrow.useLargeVarTypes=false
        execution.pandas.convertToArrowArraySafely=true<4.1:false
        execution.pandas.inferPandasDictAsMap=false execution.pyspark.binaryAsBytes=true
        groupByAliases=true groupByOrdinal=true legacy.allowNegativeScaleOfDecimal=false
        legacy.allowNullComparisonResultInArraySort=false legacy.allowParameterlessCount=false
        legacy.allowStarWithSingleTableIdentifierInCount=false
        legacy.allowUdfParameterToShadowParameterlessFunction=false
        legacy.allowZeroIndexInFormatString=false legacy.bangEqualsNot=false
        legacy.castComplexTypesToString.enabled=false legacy.charVarcharAsString=false
        legacy.codingErrorAction=false legacy.collationAwareHashFunctions=false
        legacy.consecutiveStringLiterals.enabled=false
        legacy.createEmptyCollectionUsingStringType=false legacy.cteDuplicateAttributeNames=false
        legacy.ctePrecedencePolicy=CORRECTED<4.0:EXCEPTION
        legacy.dataFrameWriterV2IgnorePathOption=false legacy.db2.booleanMapping.enabled=false
        legacy.db2.numericMapping.enabled=false
        legacy.decimal.retainFractionDigitsOnTruncate=false
        legacy.disableMapKeyNormalization=false legacy.doLooseUpcast=false
        legacy.duplicateBetweenInput=false legacy.earlyEvalCurrentTime=false
        legacy.execution.pandas.groupedMap.assignColumnsByName=true
        legacy.execution.pythonUDF.pandas.conversion.enabled=false
        legacy.execution.pythonUDTF.pandas.conversion.enabled=false
        legacy.exponentLiteralAsDecimal.enabled=false
        legacy.followThreeValuedLogicInArrayExists=true legacy.fromDayTimeString.enabled=false
        legacy.groupingIdWithAppendedUserGroupBy=false
        legacy.histogramNumericPropagateInputType=true legacy.identifierClause=false
        legacy.inSubqueryNullability=false legacy.inlineCTEInCommands=false
        legacy.integerGroupingId=false legacy.interval.enabled=false legacy.javaCharsets=false
        legacy.jdbc.timeMapping.enabled=false legacy.json.allowEmptyString.enabled=false
        legacy.keepPartitionSpecAsStringLiteral=false legacy.literal.pickMinimumPrecision=true
        legacy.lpadRpadAlwaysReturnString=false
        legacy.mssqlserver.datetimeoffsetMapping.enabled=false
        legacy.mssqlserver.numericMapping.enabled=false legacy.mysql.bitArrayMapping.enabled=false
        legacy.mysql.timestampNTZMapping.enabled=false legacy.negativeIndexInArrayInsert=false
        legacy.noCharPaddingInPredicate=false legacy.oracle.timestampMapping.enabled=false
        legacy.parameterSubstitution.constantsOnly=false
        legacy.parseNullPartitionSpecAsStringLiteral=false legacy.parseQueryWithoutEof=false
        legacy.parser.havingWithoutGroupByAsWhere=false legacy.pathOptionBehavior.enabled=false
        legacy.percentileDiscCalculation=false legacy.persistentCatalogFirst=false
        legacy.postgres.datetimeMapping.enabled=false
        legacy.readFileSourceTableCacheIgnoreOptions=false
        legacy.replaceDatabricksSparkAvro.enabled=true
        legacy.respectNullabilityInTextDatasetConversion=false
        legacy.scalarSubqueryAllowGroupByNonEqualityCorrelatedPredicate=false
        legacy.scalarSubqueryCountBugBehavior=false legacy.sessionInitWithConfigDefaults=false
        legacy.setopsPrecedence.enabled=false legacy.statisticalAggregate=false
        legacy.storeAnalyzedPlanForView=false legacy.truncateForEmptyRegexSplit=false
        legacy.typeCoercion.datetimeToString.enabled=false legacy.useCurrentConfigsForView=false
        legacy.useLegacyXMLParser=false legacy.viewSchemaCompensation=true orderByOrdinal=true
        parser.quotedRegexColumnNames=false pivotMaxValues=10000 preserveCharVarcharTypeInfo=false
        pyspark.inferNestedDictAsStruct.enabled=false
        pyspark.legacy.inferArrayTypeFromFirstElement.enabled=false
        pyspark.legacy.inferMapTypeFromFirstPair.enabled=false readSideCharPadding=true
        session.localRelationBatchOfChunksSizeBytes=1073741824
        session.localRelationCacheThreshold=1048576<4.1:67108864
        session.localRelationChunkSizeBytes=16777216 session.localRelationChunkSizeRows=10000
        session.localRelationSizeLimit=3221225472 timestampType=TIMESTAMP_LTZ
        variable.substitute=true
        """,
}


@final
class SettingRow(NamedTuple):
    """A setting: its effect, its default, and the one it had before some Spark; None if unknown."""

    effect: Effect
    default: str | None
    changed: settings.SparkVersion | None
    before: str | None


def _row(effect: Effect, text: str) -> tuple[str, SettingRow]:
    text, _, past = text.partition("<")
    name, given, default = text.partition("=")
    changed, _, before = past.partition(":")
    version = settings.spark_version(changed) if changed else None
    return PREFIX + name, SettingRow(effect, default if given else None, version, before)


SETTINGS = dict(_row(effect, text) for effect, rows in _ROWS.items() for text in rows.split())
OF_MEANING = frozenset(row.name for row in settings.MODELLED)
OF_SOURCES = frozenset(name for name, row in SETTINGS.items() if row.effect is Effect.SOURCES)
OF_WRITES = frozenset(name for name, row in SETTINGS.items() if row.effect is Effect.WRITES)


def spark_default(name: str, spark: settings.SparkVersion) -> str | None:
    """What a setting is in some Spark if nothing sets it; None if that is unknown."""
    if name in OF_MEANING and name != settings.ZONE:  # the zone is that of the machine
        return settings.usual_settings(spark).conf()[name]
    row = SETTINGS.get(name)
    if row is None:
        return None
    return row.before if row.changed is not None and spark < row.changed else row.default


def is_accounted_for(name: str, *, analyzed: bool) -> bool:
    """Whether any value of a setting is taken into account or changes no result.

    `analyzed` if plans are read as Spark analyzed them. Catalogs have names that users give them.
    """
    if name in OF_MEANING or name.startswith(f"{PREFIX}catalog."):
        return True
    match SETTINGS[name].effect if name in SETTINGS else None:
        case Effect.NOTHING | Effect.SOURCES:
            return True
        case Effect.GRAMMAR:
            return analyzed
        case _:
            return False
