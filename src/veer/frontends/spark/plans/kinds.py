"""Which expression classes of Spark are functions of their arguments, and which are not.

An allow-list: a class that nobody looked at is a choice, never pure. Catalyst's own flag is no
judge: it calls `current_time()` and encryption by a random vector deterministic. A test goes through
the functions of the running Spark and fails for one that stands in no list.
"""

from __future__ import annotations

from veer.analysis.determinism import worst
from veer.frontends.spark.plans.opaque_identity import SESSION as SESSION
from veer.frontends.spark.plans.tree import Node
from veer.functions.registry import Kind


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions of their arguments and of the parameters in their fields; a time zone is one of those.
PURE = _names(
    """
    Abs Acos Acosh Add AddMonths AesDecrypt Alias And ArrayAggregate ArrayAppend ArrayBinarySearch
    ArrayCompact ArrayContains ArrayDistinct ArrayExcept ArrayExists ArrayFilter ArrayForAll
    ArrayInsert ArrayIntersect ArrayJoin ArrayMax ArrayMin ArrayPosition ArrayPrepend ArrayRemove
    ArrayRepeat ArraySize ArraySort ArrayTransform ArrayUnion ArraysOverlap ArraysZip Ascii Asin
    Asinh AtLeastNNonNulls Atan Atan2 Atanh AttributeReference BRound Base32 Base64 Between Bin
    BinaryPad BitLength BitmapBitPosition BitmapBucketNumber BitmapCount BitwiseAnd BitwiseCount
    BitwiseGet BitwiseNot BitwiseOr BitwiseXor CaseWhen Cast Cbrt Ceil CheckOverflow
    CheckOverflowInSum Chr Coalesce Collate Collation CollationKey Concat ConcatWs Contains Conv
    ConvertTimezone Cos Cosh Cot Crc32 CreateArray CreateMap CreateNamedStruct Csc CsvToStructs
    DateAdd DateAddInterval DateAddYMInterval DateDiff DateFormatClass DateFromUnixDate DateSub
    DatetimeSub DayName DayOfMonth DayOfWeek DayOfYear DecimalAddNoOverflowCheck
    DecimalDivideWithOverflowCheck DecimalSubtractNoOverflowCheck Decode Divide DivideDTInterval
    DivideInterval DivideYMInterval DropField ElementAt Elt Encode EndsWith EqualNull EqualNullSafe
    EqualTo EulerNumber Exp Explode Expm1 Extract ExtractANSIIntervalDays ExtractANSIIntervalHours
    ExtractANSIIntervalMinutes ExtractANSIIntervalMonths ExtractANSIIntervalSeconds
    ExtractANSIIntervalYears ExtractIntervalDays ExtractIntervalHours ExtractIntervalMinutes
    ExtractIntervalMonths ExtractIntervalSeconds ExtractIntervalYears Factorial FindInSet Flatten
    Floor FormatNumber FormatString FromUTCTimestamp FromUnixTime Get GetArrayItem
    GetArrayStructFields GetJsonObject GetMapValue GetStructField GetTimestamp GreaterThan
    GreaterThanOrEqual Greatest Hex HllSketchEstimate Hmac Hour HoursOfTime Hypot ILike If In InSet
    InitCap Inline IntegralDivide IsNaN IsNotNull IsNull IsValidUTF8 IsValidVariant IsVariantNull
    JaroWinkler JsonObjectKeys JsonToStructs JsonTuple KllSketchGetNBigint KllSketchGetNDouble
    KllSketchGetNFloat KllSketchGetQuantileBigint KllSketchGetQuantileDouble
    KllSketchGetQuantileFloat KllSketchGetRankBigint KllSketchGetRankDouble KllSketchGetRankFloat
    KllSketchToStringBigint KllSketchToStringDouble KllSketchToStringFloat
    KnownFloatingPointNormalized KnownNotContainsNull KnownNotNull KnownNullable LambdaFunction
    LastDay Least Left Length LengthOfJsonArray LessThan LessThanOrEqual Levenshtein Like LikeAll
    LikeAny Literal Log Log10 Log1p Log2 Logarithm Lower Luhncheck MakeDTInterval MakeDate
    MakeDecimal MakeInterval MakeTime MakeTimestamp MakeTimestampFromDateTime MakeTimestampLTZ
    MakeTimestampLTZNanos MakeTimestampNTZ MakeTimestampNTZNanos MakeValidUTF8 MakeYMInterval
    MapConcat MapContainsKey MapEntries MapFilter MapFromArrays MapFromEntries MapKeys MapSort
    MapValues MapZipWith Mask Md5 MicrosToTimestamp MillisToTimestamp Minute MinutesOfTime Month
    MonthName MonthsBetween Multiply MultiplyDTInterval MultiplyInterval MultiplyYMInterval
    Murmur3Hash NaNvl NamedLambdaVariable NanosToTimestamp NextDay NormalizeNaNAndZero Not
    NotLikeAll NotLikeAny NullIf NullIfResult NullIfZero Nvl Nvl2 OctetLength Or Overlay ParseJson
    ParseToDate ParseToTimestamp ParseUrl Pi Pmod PosExplode Pow PreciseTimestampConversion Quarter
    Quote RLike RegExpCount RegExpExtract RegExpExtractAll RegExpInStr RegExpReplace RegExpSubStr
    Remainder ResolvedCollation Reverse Right Rint Round RoundCeil RoundFloor ST_AsBinary
    ST_GeogFromWKB ST_GeomFromWKB ST_SetSrid ST_Srid SchemaOfCsv SchemaOfJson SchemaOfVariant
    SchemaOfXml Sec Second SecondWithFraction SecondWithFractionNanos SecondsOfTime
    SecondsOfTimeWithFraction SecondsToTimestamp Sentences Sequence Sha1 Sha2 ShiftLeft ShiftRight
    ShiftRightUnsigned Signum Sin Sinh Size Slice SortArray SoundEx SplitPart Sqrt Stack StartsWith
    StringDecode StringInstr StringInstrWithOccurrence StringLPad StringLocate StringRPad
    StringRepeat StringReplace StringSpace StringSplit StringSplitSQL StringToMap StringTranslate
    StringTrim StringTrimBoth StringTrimLeft StringTrimRight StructsToCsv StructsToJson StructsToXml
    Substring SubstringIndex Subtract SubtractDates SubtractTimes SubtractTimestamps Tan Tanh
    ThetaSketchEstimate TimeAddInterval TimeBucket TimeDiff TimeFromMicros TimeFromMillis
    TimeFromSeconds TimeToMicros TimeToMillis TimeToSeconds TimeTrunc TimestampAdd
    TimestampAddInterval TimestampAddYMInterval TimestampDiff ToBinary ToCharacter ToDegrees
    ToNumber ToRadians ToTime ToUTCTimestamp ToUnixTimestamp ToVariantObject TransformKeys
    TransformValues TruncDate TruncTimestamp TryAdd TryAesDecrypt TryDivide TryElementAt TryEval
    TryMakeInterval TryMakeTimestamp TryMakeTimestampFromDateTime TryMod TryMultiply TryParseUrl
    TrySubtract TryToBinary TryToNumber TryUrlDecode TryValidateUTF8 TupleSketchEstimateDouble
    TupleSketchEstimateInteger TupleSketchSummaryDouble TupleSketchSummaryInteger
    TupleSketchThetaDouble TupleSketchThetaInteger TypeOf UnBase32 UnBase64 UnaryMinus UnaryPositive
    Unhex UnixDate UnixMicros UnixMillis UnixNanos UnixSeconds UnixTimestamp UnscaledValue
    UpdateFields Upper UrlDecode UrlEncode ValidateUTF8 VariantArrayAppend VariantDelete
    VariantExplode VariantGet VariantInsert VariantSet VariantStripNulls VectorAvg
    VectorCosineSimilarity VectorInnerProduct VectorL2Distance VectorNorm VectorNormalize VectorSum
    WeekDay WeekOfYear WidthBucket WithField XPathBoolean XPathDouble XPathFloat XPathInt XPathList
    XPathLong XPathShort XPathString XmlToStructs XxHash64 Year YearOfWeek ZeroIfNull ZipWith
    """
)
# One value in a run; the next may have another.
RUN_CONSTANT = _names(
    """
    CurrentDate CurrentTime CurrentTimestamp CurrentTimestampNanos CurrentUser LocalTimestamp
    LocalTimestampNanos Now SparkVersion
    """
)
# They see how rows are spread over files and partitions.
PARTITION = _names(
    """
    InputFileBlockLength InputFileBlockStart InputFileName MonotonicallyIncreasingID
    SparkPartitionID
    """
)
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
REWRITTEN = _names(
    """
    AssertTrue CumeDist DenseRank Grouping GroupingID Lag Lead NTile NthValue PercentRank Rank
    RowNumber SessionWindow TimeWindow WindowTime
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
# Aggregate functions, which have a list of their own: `READ_FOLDS`.
AGGREGATES = _names(
    """
    AnyValue ApproxTopK ApproxTopKAccumulate ApproxTopKCombine ApproximatePercentile Average
    BitAndAgg BitOrAgg BitXorAgg BitmapAndAgg BitmapConstructAgg BitmapOrAgg BoolAnd BoolOr
    CollectList CollectSet CollectUnion Corr Count CountIf CountMinSketchAggExpressionBuilder
    CovPopulation CovSample First HistogramNumeric HllSketchAgg HllUnionAgg HyperLogLogPlusPlus
    KllMergeAggBigint KllMergeAggDouble KllMergeAggFloat KllSketchAggBigint KllSketchAggDouble
    KllSketchAggFloat Kurtosis Last ListAgg Max MaxByBuilder Measure Median Min MinByBuilder
    ModeBuilder Percentile PercentileContBuilder PercentileDiscBuilder RegrAvgX RegrAvgY RegrCount
    RegrIntercept RegrR2 RegrSXX RegrSXY RegrSYY RegrSlope SchemaOfVariantAgg Skewness StddevPop
    StddevSamp Sum ThetaIntersectionAgg ThetaSketchAgg ThetaUnionAgg TryAverageExpressionBuilder
    TrySumExpressionBuilder TupleIntersectionAggDouble TupleIntersectionAggInteger
    TupleSketchAggDoubleExpressionBuilder TupleSketchAggIntegerExpressionBuilder
    TupleUnionAggDoubleExpressionBuilder TupleUnionAggIntegerExpressionBuilder VariancePop
    VarianceSamp
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
# Aggregate and window functions read by their names in SQL: others may bear the same.
READ_FOLDS = _names(
    """
    AnyValue Average BoolAnd BoolOr CollectList CollectSet Count CountIf First Last Max MaxBy Median
    Min MinBy StddevPop StddevSamp Sum VariancePop VarianceSamp
    """
)
READ_OVERS = _names("CumeDist DenseRank Lag Lead NTile NthValue PercentRank Rank RowNumber")
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


def is_builtin(node: Node) -> bool:
    """Whether a scalar function is one of Spark's own that somebody looked at."""
    return node.kind in PURE | RUN_CONSTANT | PARTITION | CHOICE


def kind_of(node: Node) -> Kind:
    """The kind of a function, whatever its arguments are."""
    if node.kind in PARTITION:
        return Kind.PARTITION
    if node.kind in RUN_CONSTANT or _method(node) == ("ExpressionImplUtils", "getSparkVersion"):
        return Kind.RUN_CONSTANT
    return Kind.PURE if _is_pure(node) else Kind.CHOICE


def kind_of_tree(node: Node) -> Kind:
    """The worst kind of an expression and everything inside of it."""
    return worst(kind_of(node), *map(kind_of_tree, node.children))


def _is_pure(node: Node) -> bool:
    if node.kind == "StaticInvoke":
        known = _method(node) in PURE_METHODS
    elif node.kind == "Invoke":
        target = node.children[0].kind if node.children else ""
        known = target == "Literal" and str(node.fields.get("functionName")) in EVALUATING
    else:
        known = node.kind in PURE
    return known and (node.jvm is None or bool(node.jvm.deterministic()))


def _method(node: Node) -> tuple[str, str]:
    """The Java method an expression calls."""
    owner = str(node.fields.get("staticObject")).rstrip("$").rpartition(".")[2]
    return owner, str(node.fields.get("functionName"))
