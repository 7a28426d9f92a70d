"""What of Python and its libraries is known to be a function of its arguments, by name.

Only what stands here is taken for pure; any other name makes a function a choice. Left out on
purpose: clocks, the local time zone, the locale, contexts, files, the environment, hashes of
objects, and whatever hands out code or keeps something between calls.

Why that is safe. A name is looked up in the loaded module and compared by identity (`listed_name`),
so what a project puts in its place is not taken for it. What is listed depends on its arguments
alone, and each call is checked for arguments that show more (`rules.py`): sets and iterators, whose
order or text differs from process to process, functions and objects of the project, which are
followed, and formats, types and keywords that read a clock or write elsewhere. The version of a
package is part of the identity of whatever uses it. A name that is missing here costs a proof; only
one that should not be here would cost soundness.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions, classes and constants of modules. Those of `SPECIAL_BUILTINS` have rules of their own.
MODULES: dict[str, frozenset[str]] = {
    "builtins": _words(
        "abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate filter float"
        " format frozenset hex int isinstance issubclass iter len list map max min next object oct"
        " ord pow print range repr reversed round set slice sorted str sum tuple type zip callable"
        " ArithmeticError AssertionError AttributeError Exception FloatingPointError IndexError"
        " KeyError LookupError NameError NotImplementedError OverflowError RuntimeError StopIteration"
        " TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError ZeroDivisionError"
        " NotImplemented"
    ),
    "math": _words(
        "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf"
        " erfc exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose"
        " isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm"
        " pi pow prod radians remainder sin sinh sqrt sumprod tan tanh tau trunc ulp"
    ),
    "cmath": _words("exp log phase polar rect sqrt pi e inf nan isnan isinf isfinite"),
    "re": _words(
        "compile escape findall finditer fullmatch match search split sub subn error Pattern Match"
        " RegexFlag A ASCII I IGNORECASE M MULTILINE S DOTALL U UNICODE X VERBOSE NOFLAG"
    ),
    "string": _words(
        "ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits"
        " printable punctuation whitespace"
    ),
    "decimal": _words(
        "Decimal InvalidOperation DivisionByZero Overflow ROUND_CEILING ROUND_DOWN ROUND_FLOOR"
        " ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP ROUND_05UP"
    ),
    "fractions": _words("Fraction"),
    "datetime": _words("MAXYEAR MINYEAR UTC date datetime time timedelta timezone"),
    "json": _words("dumps loads JSONDecodeError"),
    "statistics": _words(
        "fmean geometric_mean harmonic_mean mean median median_high median_low mode multimode"
        " pstdev pvariance quantiles stdev variance StatisticsError"
    ),
    "textwrap": _words("dedent fill indent shorten wrap"),
    "unicodedata": _words(
        "bidirectional category combining decimal digit east_asian_width is_normalized lookup"
        " mirrored name normalize numeric"
    ),
    "itertools": _words(
        "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile"
        " filterfalse groupby islice pairwise permutations product repeat starmap takewhile"
        " zip_longest"
    ),
    "functools": _words("partial reduce"),
    "operator": _words(
        "add and_ concat contains eq floordiv ge gt index inv invert itemgetter le lshift lt mod mul"
        " ne neg not_ or_ pos pow rshift sub truediv truth xor"
    ),
    "collections": _words("Counter OrderedDict defaultdict deque"),
    "bisect": _words("bisect bisect_left bisect_right"),
    "heapq": _words("nlargest nsmallest merge"),
    "contextlib": _words("suppress"),
    "typing": _words("cast"),
    "base64": _words(
        "b16decode b16encode b32decode b32encode b64decode b64encode b85decode b85encode"
        " standard_b64decode standard_b64encode urlsafe_b64decode urlsafe_b64encode"
    ),
    "binascii": _words("a2b_base64 a2b_hex b2a_base64 b2a_hex crc32 hexlify unhexlify Error"),
    "hashlib": _words(
        "blake2b blake2s md5 new sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512"
        " sha512"
    ),
    "hmac": _words("new digest compare_digest"),
    "html": _words("escape unescape"),
    "urllib.parse": _words(
        "parse_qs parse_qsl quote quote_plus unquote unquote_plus unquote_to_bytes urldefrag"
        " urlencode urljoin urlparse urlsplit urlunparse urlunsplit"
    ),
    "ipaddress": _words(
        "ip_address ip_interface ip_network AddressValueError NetmaskValueError IPv4Address"
        " IPv4Network IPv6Address IPv6Network"
    ),
    "calendar": _words("isleap leapdays monthrange timegm weekday"),
    "zlib": _words("adler32 compress crc32 decompress error"),
    "struct": _words("calcsize pack unpack unpack_from error"),
    "copy": _words("copy deepcopy"),
    "colorsys": _words("hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb"),
    "difflib": _words("get_close_matches"),
    "uuid": _words("NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL UUID uuid3 uuid5"),
    "logging": _words("getLogger"),
    "numbers": _words("Number Real Integral Rational Complex"),
    "pyspark.sql.types": _words("Row"),
    "numpy": _words(
        "abs absolute add all allclose any arange arccos arcsin arctan arctan2 argmax argmin argsort"
        " around array array_equal asarray average bool_ ceil clip column_stack concatenate corrcoef"
        " cos cosh count_nonzero cov cross cumprod cumsum deg2rad degrees diff digitize divide dot e"
        " equal exp expm1 eye fabs float32 float64 floor floor_divide fmax fmin full full_like greater"
        " greater_equal hstack hypot identity inf inner int16 int32 int64 int8 interp isclose"
        " isfinite isin isinf isnan less less_equal linspace log log10 log1p log2 logical_and"
        " logical_not logical_or logical_xor logspace max maximum mean median min minimum mod"
        " multiply nan nanmax nanmean nanmedian nanmin nanstd nansum nanvar ndarray ndim"
        " negative newaxis not_equal number ones ones_like outer percentile pi power prod ptp quantile"
        " rad2deg radians ravel repeat reshape round searchsorted select shape sign sin sinh size"
        " sort sqrt square stack std str_ subtract sum tan tanh tile transpose true_divide trunc"
        " uint8 unique var vstack where zeros zeros_like"
    ),
    "pandas": _words(
        "DataFrame NA NaT Series concat cut isna isnull notna notnull to_numeric merge"
    ),
}

# Modules of Python that make choices but do not hand out the project's own code: the identity of
# what uses them is certain. Any other module of Python may reach anything.
IMPURE_MODULES = _words(
    "random time secrets os os.path posixpath posix nt ntpath pathlib io tempfile socket ssl locale"
    " zoneinfo warnings logging platform getpass glob shutil csv gzip bz2 lzma zipfile tarfile"
    " configparser urllib urllib.request urllib.error http http.client sqlite3 email xml"
    " xml.etree xml.etree.ElementTree html.parser threading contextvars queue array string dataclasses"
    " contextlib collections.abc _thread _io _random _socket _contextvars weakref abc types"
    " __future__ errno stat fnmatch shlex pprint reprlib timeit sched signal getopt gettext"
    " tomllib plistlib mimetypes codecs keyword enum traceback"
)

# Methods of classes, called on the class.
CLASS_METHODS: dict[str, frozenset[str]] = {
    "builtins.dict": _words("fromkeys"),
    "builtins.int": _words("from_bytes"),
    "builtins.bytes": _words("fromhex maketrans"),
    "builtins.bytearray": _words("fromhex maketrans"),
    "builtins.float": _words("fromhex"),
    "builtins.str": _words("maketrans"),
    "datetime.date": _words("fromisocalendar fromisoformat fromordinal"),
    "datetime.datetime": _words(
        "combine fromisocalendar fromisoformat fromordinal utcfromtimestamp"
    ),
    "datetime.time": _words("fromisoformat"),
    "decimal.Decimal": _words("from_float"),
    "fractions.Fraction": _words("from_decimal from_float"),
    "itertools.chain": _words("from_iterable"),
}

# Methods that only read what they belong to; a name stands here if that holds for every type of
# value that is told apart by nothing but its use: texts, numbers, collections, dates, matches,
# arrays, series. What they give: nothing changeable (GIVES_SCALAR), something new made of the contents
# (GIVES_NEW), or the contents themselves (GIVES_ITEMS).
GIVES_SCALAR = _words(
    "capitalize casefold center encode decode endswith expandtabs find format format_map isalnum"
    " isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle"
    " isupper join ljust lower lstrip replace rfind rindex rjust rstrip startswith strip swapcase"
    " title translate upper zfill removeprefix removesuffix count index hex bit_length bit_count"
    " is_integer to_bytes conjugate isoformat weekday isoweekday toordinal total_seconds utcoffset"
    " tzname dst as_tuple quantize normalize to_integral_value to_integral to_integral_exact is_nan"
    " is_infinite is_finite is_zero is_signed is_normal adjusted copy_abs copy_negate copy_sign"
    " compare scaleb sqrt exp ln log10 fma max_mag min_mag next_plus next_minus remainder_near"
    " same_quantum to_eng_string start end span group expand digest hexdigest issubset issuperset"
    " isdisjoint limit_denominator geturl total date timetz isocalendar timetuple utctimetuple"
    " as_integer_ratio"
)
GIVES_NEW = _words(
    "split rsplit splitlines partition rpartition groups groupdict findall finditer subn copy keys"
    " values items elements most_common union intersection difference symmetric_difference asDict"
    " tolist to_list to_dict match fullmatch search sub"
    # numpy and pandas
    " abs all any apply applymap agg aggregate argmax argmin argsort assign astype between bfill"
    " clip combine_first cummax cummin cumprod cumsum diff div divide dot drop drop_duplicates dropna"
    " duplicated eq explode ffill fillna filter flatten floordiv ge groupby gt head idxmax idxmin"
    " isin isna isnull iterrows itertuples kurt le len lt map mask max mean median melt merge min mod"
    " mul multiply ne nlargest notna notnull nsmallest nunique pct_change pivot pivot_table pow prod"
    " quantile rank ravel rename reset_index reshape rolling round rename_axis set_index shift size"
    " skew slice sort_index sort_values stack std sub subtract sum tail to_numpy transform transpose"
    " truediv unstack value_counts var where expanding cumcount ngroup join contains extract"
    " extractall get_dummies cat pad floor ceil"
)
GIVES_ITEMS = _words("get item squeeze first last nth __getitem__")
# Methods that change what they belong to and nothing else: harmless on what was made in the call.
MUTATING = _words(
    "append extend insert remove pop clear sort reverse add discard update setdefault popitem"
    " difference_update intersection_update symmetric_difference_update appendleft extendleft"
    " popleft rotate move_to_end subtract"
)
# Keywords of numpy and pandas that neither name something to write to nor leave parts unset.
TABLE_KEYWORDS = _words(
    "a aggfunc as_index ascending assume_unique atol axis b bins by case columns cond copy data"
    " ddof decimals decimal default dropna dtype endpoint equal_nan errors expand fill_value"
    " fillchar flags func group_keys how ignore_index include_lowest index initial interpolation"
    " invert join keepdims keys kind labels left_index left_on level limit lower max_periods margins"
    " method min_periods n na na_action na_position name names normalize num numeric_only observed"
    " on orient other pat periods prepend q raw regex repl result_type return_counts return_index"
    " return_inverse right right_index right_on rowvar rtol shape side skipna sort start step stop"
    " subset suffixes to_replace upper v value value_name value_vars values var_name weights width"
    " window x y id_vars drop keep convert_dtype center closed key inclusive left indicator"
)
# Methods whose keywords are names of columns.
COLUMN_KEYWORDS = _words("assign agg aggregate")
# Methods of series and tables alone that take a second series to read.
TWO_TABLES = _words("where mask")
# Methods of tables whose results do not print plainly.
OPAQUE_PRINTED = _words("groupby rolling expanding iterrows itertuples items")
# Attributes of arrays, series and tables that print plainly.
PRINTED = _words(
    "T columns dtype dtypes empty imag index name names ndim real shape size values year month day"
    " hour minute second dayofweek days"
)
INDEXERS = _words("loc iloc at iat")
SET_METHODS = _words("union intersection difference symmetric_difference")
LOGGING = _words("critical debug error exception info log warning")

# Directives of `strftime` and `strptime` that neither the locale nor the local zone decides.
DATE_DIRECTIVES = frozenset("YmdHMSfjyUWuwVGIz%")
PLAIN_TYPES = _words(
    "int int8 int16 int32 int64 float float32 float64 double str string bool boolean object Int64"
    " Float64 Int32 uint8"
)
CLOCK_WORDS = _words("now today")
