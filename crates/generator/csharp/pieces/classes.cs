//# shapes
abstract class Shape : IComparable<Shape> {
    public int Id { get; }
    protected Shape(int id) { Id = id; Describe(); }
    public abstract int Area();
    public virtual string Name => "shape";
    public void Describe() { Log.Write(Name); Log.Write(Area()); }
    public int CompareTo(Shape other) => other is null ? 1 : Area().CompareTo(other.Area());
}
class Square : Shape {
    readonly int side = @{in 2 5};
    public Square(int id, int side) : base(id) { this.side = side; }
    public override int Area() => side * side;
    public override string Name => base.Name + ":square" + Id;
}
sealed class Odd : Square {
    public Odd(int id) : base(id, @{int with int id}) { }
    public override int Area() => @{maybe base.Area() +} Id;
    public new string Name => "odd";
}
public static void Run() {
    Shape[] shapes = { new Square(1, @{in 1 9}), new Odd(2), new Square(3, @{int}) };
    Array.Sort(shapes);
    foreach (Shape shape in shapes) {
        shape.Describe();
        Log.Write(shape is Odd odd ? odd.Name : shape.Name);
    }
    Square[] narrow = { new Square(4, 1) };
    Shape[] wide = narrow;
    try { wide[0] = @{one new Odd(5) ;; null ;; shapes[0]}; Log.Write(wide[0]?.Name); }
    catch (ArrayTypeMismatchException e) { Log.Report(e); }
}
//# interfaces
interface IA { int F(int x) => G(x) + @{in 1 9}; int G(int x); static int Count; }
interface IB : IA { int IA.F(int x) => G(x) * @{in 2 5}; string Name { get; } }
class Both : IB {
    public int calls;
    public virtual int G(int x) { calls++; IA.Count += x & 3; return @{int with int x}; }
    string IB.Name => "explicit";
    public string Name => "own";
}
class Derived : Both, IA {
    public override int G(int x) => unchecked(base.G(x) - 1);
    @{maybe public int F(int x) => x ^ calls;}
}
struct Value : IA {
    public int calls;
    public int G(int x) { calls += @{in 1 3}; return unchecked(calls + x); }
}
static int Twice<T>(T a, int x) where T : IA { a.G(x); return a.G(x); }
public static void Run() {
    IA[] all = { new Both(), new Derived(), new Value() };
    foreach (IA one in all) {
        Log.Write(one.F(@{int}));
        Log.Write(one is IB named ? named.Name : "no name");
        Log.Write(one.G(@{in 0 5}));
        Log.Write(Twice(one, @{in 0 5}));
    }
    Value value = new Value();
    Log.Write(Twice(value, 1));
    Log.Write(value.calls);
    IA boxed = value;
    boxed.G(1);
    Log.Write(((Value) boxed).calls + value.calls);
    Log.Write(IA.Count);
}
//# statics
static class Trace { public static int Say(string text, int value) { Log.Write("init " + text); return value; } }
class Eager { public static readonly int A = Trace.Say("A", @{int}); static Eager() { Log.Write("cctor Eager"); B = A; } public static int B = Trace.Say("B", 2); }
class Child : Eager { public static int C = Trace.Say("C", @{one 3 ;; B}); static Child() { Log.Write("cctor Child"); } public static void Touch() { } }
class Broken { public static int X = @{in 0 3}; static Broken() { int zero = X - X; Log.Write(1 / zero); } public static int Get() => X; }
class Generic<T> { public static int count = Trace.Say(typeof(T).Name, 1); static Generic() { } public static int Next() => ++count; }
public static void Run() {
    Log.Write("start");
    @{each Child.Touch(); ;; Log.Write(Eager.B); ;; Log.Write(Generic<int>.Next()); ;; Log.Write(Generic<string>.Next() + Generic<int>.Next());}
    for (int i = 0; i < 2; i++) {
        try { Log.Write(Broken.Get()); } catch (TypeInitializationException e) { Log.Report(e); Log.Report(e.InnerException); }
    }
    Log.Write(Child.C);
}
//# operators
readonly struct Fraction : IEquatable<Fraction> {
    public readonly int N, D;
    public Fraction(int n, int d) { N = n; D = d; }
    public static Fraction operator +(Fraction a, Fraction b) => new Fraction(unchecked(a.N * b.D + b.N * a.D), unchecked(a.D * b.D));
    public static Fraction operator checked -(Fraction a) => new Fraction(checked(-a.N), a.D);
    public static Fraction operator -(Fraction a) => new Fraction(unchecked(-a.N), a.D);
    public static Fraction operator ++(Fraction a) => new Fraction(unchecked(a.N + a.D), a.D);
    public static bool operator true(Fraction a) => a.N != 0;
    public static bool operator false(Fraction a) => a.N == 0;
    public static Fraction operator &(Fraction a, Fraction b) => a.N == 0 ? a : b;
    public static bool operator ==(Fraction a, Fraction b) => a.Equals(b);
    public static bool operator !=(Fraction a, Fraction b) => !(a == b);
    public static implicit operator Fraction(int n) => new Fraction(n, 1);
    public static explicit operator double(Fraction a) => (double) a.N / a.D;
    public bool Equals(Fraction other) => unchecked(N * other.D) == unchecked(other.N * D);
    public override bool Equals(object other) => other is Fraction f && Equals(f);
    public override int GetHashCode() => N;
    public override string ToString() => N + "/" + D;
}
public static void Run() {
    Fraction a = @{int}, b = new Fraction(@{int}, @{in 1 9});
    Log.Write((a + b).ToString());
    Log.Write((a++ + ++b).ToString() + a + b);
    try { Log.Write(checked(-a).ToString()); } catch (OverflowException e) { Log.Report(e); }
    if (a && b) Log.Write("both"); else Log.Write("not both");
    Log.Bits((double) b);
    Log.Write(a == b);
    Log.Write(Equals(a, (object) b));
    Fraction? none = @{one null ;; a}; 
    Log.Write((none + b)?.ToString() ?? "none");
    Log.Write(none == b);
}
//# indexers
class Table {
    readonly int[,] cells = new int[@{in 2 3}, @{in 2 4}];
    int reads;
    public int this[int row, int column] { get { reads++; return cells[row, column]; } set => cells[row, column] = unchecked(value + row); }
    public string this[string key] => key + reads;
    public int Sum { get { int sum = 0; foreach (int cell in cells) sum = unchecked(sum + cell); return sum; } }
    public int Last { get; private set; } = @{in 1 9};
    public required int Limit { get; init; }
    public void Fill() { for (int i = 0; i < cells.GetLength(0); i++) for (int j = 0; j < cells.GetLength(1); j++) this[i, j] += i * 10 + j + (Last <<= 1); }
}
public static void Run() {
    var table = new Table { Limit = @{int} };
    table.Fill();
    table[1, 1] *= @{int};
    table[0, 1]++;
    Log.Write(table.Sum); Log.Write(table["r"]); Log.Write(table.Last); Log.Write(table.Limit);
    try { Log.Write(table[@{one 0 ;; 2 ;; 3 ;; -1}, @{in 0 4}]); } catch (IndexOutOfRangeException e) { Log.Report(e); }
}
