"""Which expression classes of Spark are functions of their arguments, and which are not.

Those the registry gives a meaning to have their kind there; here stand the others.

An allow-list: a class that nobody looked at is a choice, never pure. Catalyst's own flag is no
judge: it calls `current_time()` and encryption by a random vector deterministic. A test goes through
the functions of the running Spark and fails for one that stands in no list.
"""

from __future__ import annotations

from collections.abc import Mapping

from veer.facts.determinism import worst
from veer.functions import registry
from veer.read.pyspark.plans.opaque_identity import SESSION as SESSION
from veer.read.pyspark.plans.tree import Node


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _classes(table: Mapping[str, registry.Function]) -> frozenset[str]:
    """The classes that mean functions of the registry."""
    return frozenset(c for function in table.values() for c in function.spark)


def _read_as(kind: registry.Kind) -> frozenset[str]:
    """The classes that mean scalar functions of the registry of a kind."""
    return frozenset(c for f in registry.SCALAR.values() if f.kind is kind for c in f.spark)


# Functions of their arguments and of the parameters in their fields; a time zone is one of those.
LISTED_PURE = _names(
    """
    Acos Acosh AesDecrypt Alias And ArrayAggregate ArrayAppend ArrayBinarySearch ArrayCompact
    ArrayExcept ArrayExists ArrayFilter ArrayForAll ArrayInsert ArrayIntersect ArrayPosition
    ArrayPrepend ArrayRemove ArrayRepeat ArraySort ArrayTransform ArrayUnion ArraysOverlap ArraysZip
    Asin Asinh AtLeastNNonNulls Atan Atan2 Atanh AttributeReference Base32 Base64 Between Bin
    BinaryPad BitLength BitmapBitPosition BitmapBucketNumber BitmapCount BitwiseCount BitwiseNot
    CaseWhen Cast Cbrt CheckOverflow CheckOverflowInSum Chr Collate Collation CollationKey Conv
    ConvertTimezone Cos Cosh Cot Crc32 Csc CsvToStructs DateAddInterval DateAddYMInterval
    DateFromUnixDate DatetimeSub DayName DecimalAddNoOverflowCheck DecimalDivideWithOverflowCheck
    DecimalSubtractNoOverflowCheck Decode DivideDTInterval DivideInterval DivideYMInterval DropField
    Elt Encode EqualNull EqualNullSafe EqualTo EulerNumber Explode Expm1 Extract
    ExtractANSIIntervalDays ExtractANSIIntervalHours ExtractANSIIntervalMinutes
    ExtractANSIIntervalMonths ExtractANSIIntervalSeconds ExtractANSIIntervalYears
    ExtractIntervalDays ExtractIntervalHours ExtractIntervalMinutes ExtractIntervalMonths
    ExtractIntervalSeconds ExtractIntervalYears Factorial FindInSet FormatNumber
    FormatString FromUTCTimestamp Get GetArrayStructFields GetJsonObject GetStructField GetTimestamp
    GreaterThan GreaterThanOrEqual HllSketchEstimate Hmac HoursOfTime Hypot If In InSet Inline
    IsNotNull IsNull IsValidUTF8 IsValidVariant IsVariantNull JaroWinkler JsonObjectKeys
    JsonToStructs JsonTuple KllSketchGetNBigint KllSketchGetNDouble KllSketchGetNFloat
    KllSketchGetQuantileBigint KllSketchGetQuantileDouble KllSketchGetQuantileFloat
    KllSketchGetRankBigint KllSketchGetRankDouble KllSketchGetRankFloat KllSketchToStringBigint
    KllSketchToStringDouble KllSketchToStringFloat KnownFloatingPointNormalized KnownNotContainsNull
    KnownNotNull KnownNullable LambdaFunction LengthOfJsonArray LessThan LessThanOrEqual Levenshtein
    LikeAll LikeAny Literal Log1p Logarithm Luhncheck MakeDTInterval MakeDecimal MakeInterval
    MakeTime MakeTimestamp MakeTimestampFromDateTime MakeTimestampLTZ MakeTimestampLTZNanos
    MakeTimestampNTZ MakeTimestampNTZNanos MakeValidUTF8 MakeYMInterval MapConcat MapContainsKey
    MapEntries MapFilter MapFromArrays MapFromEntries MapSort MapZipWith Mask MicrosToTimestamp
    MillisToTimestamp MinutesOfTime MonthName MultiplyDTInterval MultiplyInterval MultiplyYMInterval
    Murmur3Hash NamedLambdaVariable NanosToTimestamp NormalizeNaNAndZero Not NotLikeAll NotLikeAny
    NullIf NullIfResult NullIfZero Nvl Nvl2 OctetLength Or Overlay ParseJson ParseToDate
    ParseToTimestamp ParseUrl Pi PosExplode PreciseTimestampConversion Quote RegExpCount
    RegExpExtractAll RegExpInStr RegExpSubStr ResolvedCollation Rint RoundCeil RoundFloor
    ST_AsBinary ST_GeogFromWKB ST_GeomFromWKB ST_SetSrid ST_Srid SchemaOfCsv SchemaOfJson
    SchemaOfVariant SchemaOfXml Sec SecondWithFraction SecondWithFractionNanos SecondsOfTime
    SecondsOfTimeWithFraction Sentences Sequence ShiftLeft ShiftRight ShiftRightUnsigned Sin Sinh
    SoundEx Stack StringDecode StringInstrWithOccurrence StringSplitSQL StringToMap StringTrimBoth
    StructsToCsv StructsToJson StructsToXml SubtractDates SubtractTimes
    SubtractTimestamps Tan Tanh ThetaSketchEstimate TimeAddInterval TimeBucket TimeDiff
    TimeFromMicros TimeFromMillis TimeFromSeconds TimeToMicros TimeToMillis TimeToSeconds TimeTrunc
    TimestampAdd TimestampAddInterval TimestampAddYMInterval TimestampDiff ToBinary ToCharacter
    ToDegrees ToNumber ToRadians ToTime ToUTCTimestamp ToVariantObject TransformKeys TransformValues
    TryAdd TryAesDecrypt TryDivide TryElementAt TryEval TryMakeInterval TryMakeTimestamp
    TryMakeTimestampFromDateTime TryMod TryMultiply TryParseUrl TrySubtract TryToBinary TryToNumber
    TryUrlDecode TryValidateUTF8 TupleSketchEstimateDouble TupleSketchEstimateInteger
    TupleSketchSummaryDouble TupleSketchSummaryInteger TupleSketchThetaDouble
    TupleSketchThetaInteger TypeOf UnBase32 UnBase64 Unhex UnixDate UnixMicros UnixMillis UnixNanos
    UnixSeconds UnscaledValue UpdateFields UrlDecode UrlEncode ValidateUTF8 VariantArrayAppend
    VariantDelete VariantExplode VariantGet VariantInsert VariantSet VariantStripNulls VectorAvg
    VectorCosineSimilarity VectorInnerProduct VectorL2Distance VectorNorm VectorNormalize VectorSum
    WidthBucket WithField XPathBoolean XPathDouble XPathFloat XPathInt XPathList XPathLong
    XPathShort XPathString XmlToStructs XxHash64 YearOfWeek ZeroIfNull ZipWith
    """
)
PURE = _read_as(registry.Kind.PURE) | LISTED_PURE
# One value in a run; the next may have another.
LISTED_RUN_CONSTANT = _names(
    """
    CurrentTime CurrentTimestampNanos LocalTimestamp LocalTimestampNanos SparkVersion
    """
)
RUN_CONSTANT = _read_as(registry.Kind.RUN_CONSTANT) | LISTED_RUN_CONSTANT
# They see how rows are spread over files and partitions.
LISTED_PARTITION = _names(
    """
    InputFileBlockLength InputFileBlockStart
    """
)
PARTITION = _read_as(registry.Kind.PARTITION) | LISTED_PARTITION
# Random, or code of which nothing is known.
CHOICE = _names(
    """
    AesEncrypt CallMethodViaReflection Rand RandStr Randn Shuffle TryReflect Uniform Uuid
    """
)
# Sketches merged by chance or in the order they come, and what reads files of its own.
UNSURE = _names(
    """
    ApproxTopKEstimate FromAvro FromProtobuf HllUnion KllSketchMergeBigint KllSketchMergeDouble
    KllSketchMergeFloat SchemaOfAvro ThetaDifference ThetaIntersection ThetaUnion ToAvro ToProtobuf
    TupleDifferenceDouble TupleDifferenceInteger TupleDifferenceThetaDouble
    TupleDifferenceThetaInteger TupleIntersectionDouble TupleIntersectionInteger
    TupleIntersectionThetaDouble TupleIntersectionThetaInteger
    """
)
# Not met in analyzed plans, or as window functions only.
REWRITTEN = _classes(registry.OVER) | _names(
    """
    AssertTrue Grouping GroupingID SessionWindow TimeWindow WindowTime
    """
)
# Names that stand for one of several other classes.
BUILDERS = _names(
    """
    CeilExpressionBuilder CollateExpressionBuilder ContainsExpressionBuilder
    CounterDiffExpressionBuilder CurDateExpressionBuilder CurrentTimestampExpressionBuilder
    DatePartExpressionBuilder EndsWithExpressionBuilder ExplodeExpressionBuilder
    FloorExpressionBuilder HourExpressionBuilder InlineExpressionBuilder LPadExpressionBuilder
    LocalTimestampExpressionBuilder MakeTimestampExpressionBuilder MakeTimestampLTZExpressionBuilder
    MakeTimestampNTZExpressionBuilder MaskExpressionBuilder MinuteExpressionBuilder
    NowExpressionBuilder ParseJsonExpressionBuilder ParseToTimestampLTZExpressionBuilder
    ParseToTimestampNTZExpressionBuilder PosExplodeExpressionBuilder RPadExpressionBuilder
    RaiseErrorExpressionBuilder SecondExpressionBuilder StartsWithExpressionBuilder
    StringInstrExpressionBuilder TimeBucketExpressionBuilder ToCharacterBuilder
    TryMakeTimestampExpressionBuilder TryMakeTimestampLTZExpressionBuilder
    TryMakeTimestampNTZExpressionBuilder TryParseJsonExpressionBuilder TryToDateExpressionBuilder
    TryToTimeExpressionBuilder TryToTimestampExpressionBuilder
    TryVariantArrayAppendExpressionBuilder TryVariantGetExpressionBuilder
    TryVariantInsertExpressionBuilder TryVariantSetExpressionBuilder
    TupleUnionDoubleExpressionBuilder TupleUnionIntegerExpressionBuilder
    TupleUnionThetaDoubleExpressionBuilder TupleUnionThetaIntegerExpressionBuilder
    VariantArrayAppendExpressionBuilder VariantGetExpressionBuilder VariantInsertExpressionBuilder
    VariantSetExpressionBuilder VariantStripNullsExpressionBuilder
    """
)
# Aggregate functions, those of the registry and others.
AGGREGATES = _classes(registry.AGGREGATE) | _names(
    """
    ApproxTopK ApproxTopKAccumulate ApproxTopKCombine ApproximatePercentile BitmapAndAgg
    BitmapConstructAgg BitmapOrAgg CollectUnion CountMinSketchAggExpressionBuilder
    HistogramNumeric HllSketchAgg HllUnionAgg HyperLogLogPlusPlus KllMergeAggBigint
    KllMergeAggDouble KllMergeAggFloat KllSketchAggBigint KllSketchAggDouble KllSketchAggFloat
    ListAgg MaxByBuilder Measure MinByBuilder ModeBuilder Percentile PercentileContBuilder
    PercentileDiscBuilder RegrAvgX RegrAvgY RegrCount RegrIntercept RegrR2 RegrSXX RegrSXY
    RegrSYY RegrSlope SchemaOfVariantAgg ThetaIntersectionAgg ThetaSketchAgg ThetaUnionAgg
    TryAverageExpressionBuilder TrySumExpressionBuilder TupleIntersectionAggDouble
    TupleIntersectionAggInteger TupleSketchAggDoubleExpressionBuilder
    TupleSketchAggIntegerExpressionBuilder TupleUnionAggDoubleExpressionBuilder
    TupleUnionAggIntegerExpressionBuilder
    """
)
# Functions of tables, which are operators of plans.
TABLES = _names(
    """
    Collations ExplodeGeneratorBuilder ExplodeOuterGeneratorBuilder InlineGeneratorBuilder
    InlineOuterGeneratorBuilder PosExplodeGeneratorBuilder PosExplodeOuterGeneratorBuilder
    PythonWorkerLogs Range SQLKeywords VariantExplodeGeneratorBuilder
    VariantExplodeOuterGeneratorBuilder
    """
)
# What Spark calls in Java: class and method.
PURE_METHODS = frozenset(
    {
        *(("CharVarcharCodegenUtils", m) for m in ("readSidePadding",)),
        *((c, "encode") for c in ("Base32", "Base64", "Encode", "UrlCodec")),
        *((c, "decode") for c in ("UnBase32", "StringDecode", "UrlCodec")),
        *(
            ("BitmapExpressionUtils", m)
            for m in ("bitmapBitPosition", "bitmapBucketNumber", "bitmapCount")
        ),
        *(
            ("ExpressionImplUtils", m)
            for m in (
                *("aesDecrypt", "getSentences", "hmac", "isLuhnNumber", "jaroWinklerSimilarity"),
                *("quote", "tryValidateUTF8String", "validateUTF8String"),
            )
        ),
        *(
            ("VectorFunctionImplUtils", f"vector{m}")
            for m in ("CosineSimilarity", "InnerProduct", "L2Distance", "Norm", "Normalize")
        ),
        *(("JsonExpressionUtils", m) for m in ("jsonObjectKeys", "lengthOfJsonArray")),
        ("SchemaOfVariant", "schemaOfVariant"),
        *(
            ("VariantExpressionEvalUtils", m)
            for m in ("isValidVariant", "isVariantNull", "parseJson", "stripNulls")
        ),
        ("XmlExpressionEvalUtils", "schemaOfXml"),
        *(("DateTimeUtils", m) for m in ("makeTimestamp", "makeTimestampNTZ")),
        *(
            ("STUtils", f"st{t}{m}")
            for t in ("Geog", "Geom")
            for m in ("AsBinary", "FromWKB", "SetSrid", "Srid")
        ),
        *(("ByteArrayMethods", m) for m in ("contains", "endsWith", "startsWith")),
        *(("ByteArray", m) for m in ("lpad", "rpad")),
    }
)
EVALUATING = frozenset({"evaluate", "isValid", "makeValid"})  # methods of constants of Spark's own


def kind_of(node: Node) -> registry.Kind:
    """The kind of a function, whatever its arguments are."""
    if node.kind in PARTITION:
        return registry.Kind.PARTITION
    if node.kind in RUN_CONSTANT or _method(node) == ("ExpressionImplUtils", "getSparkVersion"):
        return registry.Kind.RUN_CONSTANT
    return registry.Kind.PURE if _is_pure(node) else registry.Kind.CHOICE


def kind_of_tree(node: Node) -> registry.Kind:
    """The worst kind of an expression and everything inside of it."""
    return worst(kind_of(node), *map(kind_of_tree, node.children))


def _is_pure(node: Node) -> bool:
    if node.kind == "StaticInvoke":
        listed = _method(node) in PURE_METHODS
    elif node.kind == "Invoke":
        target = node.children[0].kind if node.children else ""
        listed = target == "Literal" and str(node.fields.get("functionName")) in EVALUATING
    else:
        listed = node.kind in PURE
    # Catalyst's flag may only make it worse: a listed class over something random is random.
    return listed and (node.jvm is None or bool(node.jvm.deterministic()))


def _method(node: Node) -> tuple[str, str]:
    """The Java method an expression calls."""
    owner = str(node.fields.get("staticObject")).rstrip("$").rpartition(".")[2]
    return owner, str(node.fields.get("functionName"))
