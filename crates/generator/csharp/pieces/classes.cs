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
